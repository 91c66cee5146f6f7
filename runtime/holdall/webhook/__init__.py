"""The Kubernetes conversion webhook: an ASGI application, and a server for it."""

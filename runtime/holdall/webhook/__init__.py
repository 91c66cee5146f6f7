"""The conversion webhook of Kubernetes: reviews as a library, and the server around it."""

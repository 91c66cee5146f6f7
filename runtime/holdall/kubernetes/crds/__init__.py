"""CRDs: what the API server asks of them, and what a project needs of them."""

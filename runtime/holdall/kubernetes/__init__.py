"""Commands and checks for Kubernetes clusters and their CRDs."""

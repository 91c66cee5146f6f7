"""CRDs: what API servers require of them, and what a project needs."""

"""What holdall does with a cluster and its CRDs."""

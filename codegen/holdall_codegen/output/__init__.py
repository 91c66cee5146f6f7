"""What holdall writes for a project: generated files, CRDs, first configurations and hooks."""

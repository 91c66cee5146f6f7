"""What is written for a project: generated files, CRDs, starts of projects and hooks."""

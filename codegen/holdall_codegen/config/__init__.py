"""holdall.yaml: read, checked, not applied."""

"""What the schema of one version may refuse of objects that are converted to it."""

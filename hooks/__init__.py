"""The sample project's hooks: what no declaration in holdall.yaml can express."""

"""Templates of files that `holdall init` writes: `deploy/` and pipelines."""

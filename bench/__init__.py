"""Benchmarks: `make bench` prints the tables that docs/performance.md keeps."""

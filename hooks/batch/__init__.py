"""Hooks of the batch group, one module per difference."""

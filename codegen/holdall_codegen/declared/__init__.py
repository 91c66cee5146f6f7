"""Declared versions: one module that describes the latest types and what happened to them."""

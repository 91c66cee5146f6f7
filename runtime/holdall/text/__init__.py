"""Bytes and files to JSON values, and back: JSON, YAML, streams, places in texts."""

"""The explorer in a real browser; `make browser` runs these tests."""

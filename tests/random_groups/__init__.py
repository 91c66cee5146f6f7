"""A random test of the whole tool from outside; README.md beside it says what it accepts."""

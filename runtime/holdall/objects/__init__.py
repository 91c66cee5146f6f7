"""Objects: the bases of generated types, their shapes, and bags."""

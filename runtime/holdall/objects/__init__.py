"""What an object is: the bases of generated types, their shapes, their bags."""

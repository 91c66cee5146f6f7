"""What the other version will refuse: converted objects against the schema of their target."""

"""What v2 and v3alpha1 of Emissary's kinds do not share, and no declaration can say."""

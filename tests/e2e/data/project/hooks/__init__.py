"""What no declaration can say."""

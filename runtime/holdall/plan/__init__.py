"""What was decided when code was generated, read back: plan.json and what it declares."""

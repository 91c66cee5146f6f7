"""Reading plan.json: what was decided and declared when code was generated."""

"""Documents in rows of a table: rewriting them at another version, rolling back, settling."""

"""Documents in the rows of a table: rewritten in another version, taken back, settled."""

"""Converting one object over one edge: values, moves, links, hooks."""

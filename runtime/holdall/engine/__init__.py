"""One object over one edge: conversions of values, moves, links, hooks."""

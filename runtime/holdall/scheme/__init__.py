"""The versions of a group and the routes between them."""

"""The versions of a group and the ways between them."""

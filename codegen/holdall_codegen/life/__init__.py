"""The life of a version, from its first day to its last: `holdall version`."""

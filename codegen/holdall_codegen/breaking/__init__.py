"""Whether a change breaks users of an API, or objects that are stored: `holdall breaking`."""

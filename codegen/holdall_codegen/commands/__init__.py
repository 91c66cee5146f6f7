"""The generator's commands: thin shells over importable functions, loaded when they are used."""

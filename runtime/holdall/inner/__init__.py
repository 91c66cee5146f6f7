"""Inner documents: objects that others, their holders, have as text in an annotation or member.

A text is read, each document in it converted by the rules of its kind, and written back with the
formatting of what did not change. Nothing in here knows versions or groups: `Kinds` does.
"""

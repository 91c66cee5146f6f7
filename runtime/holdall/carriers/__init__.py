"""Carriers: how property bags travel in API documents, and how they return.

`carrying` takes the bags off the objects of a tree and puts them into its document, `boundary`
unloads them before the document is read, and restores them to the objects. Source: docs/bags.md,
"Carriers".
"""

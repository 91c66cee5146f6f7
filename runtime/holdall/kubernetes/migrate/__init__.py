"""migrate: rewriting all objects of a cluster in the storage version.

Source: docs/operations.md, "Rewriting all objects".
"""

"""migrate: rewriting all objects of a cluster in the storage version.

Source: webhook contract, section 10.
"""

"""migrate: objects of the cluster are stored in the storage version, and in no other.

Source: webhook contract, section 10.
"""

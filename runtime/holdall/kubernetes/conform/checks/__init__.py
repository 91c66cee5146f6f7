"""The checks of the conformance list, in its order.

Source: webhook contract, section 5.
"""

# Importing the modules registers their checks.
from holdall.kubernetes.conform.checks import (
    clients,
    laws,
    metadata,
    objects,
    operation,
    protocol,
    texts,
    transport,
)

__all__ = [
    "clients",
    "laws",
    "metadata",
    "objects",
    "operation",
    "protocol",
    "texts",
    "transport",
]

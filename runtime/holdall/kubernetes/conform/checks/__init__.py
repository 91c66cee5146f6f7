"""The checks of the conformance list, in its order.

Source: docs/conform.md, "The checks".
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

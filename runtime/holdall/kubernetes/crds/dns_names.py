"""The forms of names in CRDs: labels and subdomains, as API servers require them."""

from __future__ import annotations

import re

_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_LABEL_1123 = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(rf"{_LABEL_1123.pattern}(\.{_LABEL_1123.pattern})*")


def is_label_1035(text: str) -> bool:
    """Return whether a text is a label that begins with a letter, of up to 63 characters."""
    return len(text) <= 63 and _LABEL_1035.fullmatch(text) is not None


def is_label_1123(text: str) -> bool:
    """Return whether a text is a label that may begin with a digit, of up to 63 characters."""
    return len(text) <= 63 and _LABEL_1123.fullmatch(text) is not None


def is_subdomain(text: str) -> bool:
    """Return whether a text is a lower-case domain name of up to 253 characters."""
    return len(text) <= 253 and _SUBDOMAIN.fullmatch(text) is not None

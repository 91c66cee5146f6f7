"""CA bundles of CRDs: whether they can be read, and the facts of their certificates.

The facts need the extra `webhook`; without it only the form of a bundle is checked.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final

from holdall.types import JsonValue

if TYPE_CHECKING:
    from holdall.webhook.certificates import Facts

_BLOCK: Final = re.compile(
    r"-----BEGIN ([A-Z ]++)-----\r?\n((?:[^-]++|-(?!----))*+)-----END \1-----\r?\n?"
)


def read_bundle(bundle: JsonValue) -> tuple[list[str], list[Facts]]:
    """Return what is wrong with a caBundle as a CRD holds it, and its certificates.

    Shape: base64 of PEM. Certificates are empty without the package `cryptography`.
    """
    if not isinstance(bundle, str):
        return ["a caBundle must be base64 text"], []
    try:
        pem = base64.b64decode(bundle, validate=True)
    except ValueError as error:
        return [f"the caBundle is not base64: {error}"], []
    return read_pem(pem)


def read_pem(pem: bytes) -> tuple[list[str], list[Facts]]:
    """Return what is wrong with a PEM text of certificates, and the certificates."""
    blocks = list(_BLOCK.finditer(pem.decode("ascii", errors="replace")))
    if not blocks:
        return ["the caBundle contains no PEM certificate"], []
    faults = [
        f"the caBundle contains a {kind}, but only certificates belong there"
        for kind in sorted({block[1] for block in blocks} - {"CERTIFICATE"})
    ]
    found: list[Facts] = []
    certificates = [block for block in blocks if block[1] == "CERTIFICATE"]
    for number, block in enumerate(certificates, 1):
        try:
            base64.b64decode("".join(block[2].split()), validate=True)
            found += _read(block[0].encode())
        except ValueError as error:
            faults.append(f"certificate {number} of the caBundle cannot be read: {error}")
    return faults, found


def _read(pem: bytes) -> list[Facts]:
    try:
        from holdall.webhook.certificates import read_certificates
    except ModuleNotFoundError:
        return []
    return read_certificates(pem)

"""A keyring in a folder: read with located errors, written atomically, readable only by its owner.

`ca.crt` is the bundle, `ca.key` the signing key, `ca-next.key` that of the next authority;
`tls.crt` and `tls.key` are served. In Kubernetes it is two Secrets, and the patch of a CRD's
conversion.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from holdall.errors import Problem, ProblemsError
from holdall.text.files import replace_file
from holdall.types import JsonObject
from holdall.webhook.certificates import Pair, key_id_of, read_certificates
from holdall.webhook.keyring import Keyring, assemble

IGNORED: Final = ".gitignore"
BUNDLE: Final = "ca.crt"
SIGNER_KEY: Final = "ca.key"
SUCCESSOR_KEY: Final = "ca-next.key"
CERTIFICATE: Final = "tls.crt"
KEY: Final = "tls.key"

_FIX: Final = "restore the folder from a backup, or make a new one with `holdall certs create`"


class KeyFileError(ProblemsError):
    """Certificates or keys that cannot be read or written."""

    code = "HA830"


def read_keyring(folder: Path) -> Keyring:
    """Read a folder that `write_keyring` wrote. Raises KeyFileError with all problems."""
    problems: list[Problem] = []
    names = (BUNDLE, SIGNER_KEY, CERTIFICATE, KEY)
    texts = {name: _read(folder / name, problems) for name in names}
    if (folder / SUCCESSOR_KEY).exists():
        texts[SUCCESSOR_KEY] = _read(folder / SUCCESSOR_KEY, problems)
    for name, text in texts.items():
        if text is not None:
            _check(folder / name, text, problems)
    if problems:
        raise KeyFileError(problems)
    found = {name: text for name, text in texts.items() if text is not None}
    try:
        return assemble(
            found[BUNDLE],
            found[SIGNER_KEY],
            found.get(SUCCESSOR_KEY),
            Pair(found[CERTIFICATE], found[KEY]),
        )
    except ValueError as error:
        raise KeyFileError([Problem("HA832", folder.as_posix(), str(error), _FIX)]) from error


def write_keyring(folder: Path, keyring: Keyring) -> None:
    """Write a keyring; each file is replaced atomically and readable only by its owner.

    Due to the order of writes, readers always find a bundle that trusts the served certificate.
    Raises KeyFileError.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / IGNORED).exists():
            _write(folder / IGNORED, b"# Private keys: what is here is nobody else's.\n*\n")
        _write(folder / BUNDLE, keyring.trusted)
        if keyring.successor is not None:
            _write(folder / SUCCESSOR_KEY, keyring.successor.key)
        _write(folder / SIGNER_KEY, keyring.signer.key)
        _write(folder / KEY, keyring.server.key)
        _write(folder / CERTIFICATE, keyring.server.certificate)
        if keyring.successor is None:
            (folder / SUCCESSOR_KEY).unlink(missing_ok=True)
    except OSError as error:
        text = f"cannot be written: {error.strerror}"
        fix = "name a writable folder on a disk with free space"
        where = os.fsdecode(error.filename or folder)
        raise KeyFileError([Problem("HA833", where, text, fix)]) from error


def _read(path: Path, problems: list[Problem]) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError as error:
        text = f"cannot be read: {error.strerror}"
        problems.append(Problem("HA831", path.as_posix(), text, _FIX))
        return None


def _check(path: Path, text: bytes, problems: list[Problem]) -> None:
    is_key = path.suffix == ".key"
    try:
        if is_key:
            key_id_of(text)
        else:
            read_certificates(text)
    except ValueError:
        what = "unencrypted private key" if is_key else "X.509 certificate"
        found = f"it contains no {what} in PEM form"
        problems.append(Problem("HA832", path.as_posix(), found, _FIX))


def _write(path: Path, data: bytes) -> None:
    if path.exists() and path.read_bytes() == data:
        return
    replace_file(path, data, private=True)


def secrets_of(keyring: Keyring, name: str, namespace: str) -> list[JsonObject]:
    """Return the Secret that servers mount, and the one that only rotation needs.

    The second has the authority's keys: anyone who reads it can impersonate the webhook.
    """
    server = {
        CERTIFICATE: keyring.server.certificate,
        KEY: keyring.server.key,
        BUNDLE: keyring.trusted,
    }
    authority = {BUNDLE: keyring.trusted, SIGNER_KEY: keyring.signer.key}
    if keyring.successor is not None:
        authority[SUCCESSOR_KEY] = keyring.successor.key
    return [
        _secret(name, namespace, "kubernetes.io/tls", server),
        _secret(f"{name}-ca", namespace, "Opaque", authority),
    ]


def patches_of(keyring: Keyring, crds: Sequence[str]) -> list[JsonObject]:
    """Return a patch for each CRD, for server-side apply: it owns only `caBundle`.

    Source: docs/operations.md, "Rotating the CA".
    """
    bundle = base64.b64encode(keyring.trusted).decode()
    return [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}},
        }
        for name in crds
    ]


def _secret(name: str, namespace: str, kind: str, data: dict[str, bytes]) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": kind,
        "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
    }

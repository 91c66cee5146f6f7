"""A self-managed certificate authority: its bundle, its server's certificate, and their rotation.

Pure: the time is an argument, and files are read and written elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from holdall.webhook.certificates import (
    Facts,
    Pair,
    key_id_of,
    new_authority,
    new_server,
    read_certificates,
    split_bundle,
)

AUTHORITY_NAME: Final = "holdall webhook CA"


@dataclass(frozen=True, slots=True)
class Lives:
    """Lifetimes of certificates, and how long a new authority is in the bundle before it signs.

    This overlap is the time that clients need to get the bundle: the CRDs must be patched, and
    every API server must have seen it.
    """

    authority: timedelta = timedelta(days=3650)
    server: timedelta = timedelta(days=365)
    overlap: timedelta = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Keyring:
    """What clients trust, the current and next signing authorities, and the served certificate.

    `bundle` has one PEM certificate per authority that clients trust: the signing one, the next
    one if there is one, and former ones until they expire.
    """

    bundle: tuple[bytes, ...]
    signer: Pair
    server: Pair
    successor: Pair | None = None

    @property
    def trusted(self) -> bytes:
        """The bundle as one PEM text, for `caBundle`."""
        return b"".join(self.bundle)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the serving certificate is for."""
        return read_certificates(self.server.certificate)[0].names


def create(names: Sequence[str], now: datetime, lives: Lives) -> Keyring:
    """Return a new authority with a serving certificate for some names."""
    authority = new_authority(AUTHORITY_NAME, now, lives.authority)
    server = new_server(authority, names, now, lives.server)
    return Keyring((authority.certificate,), authority, server)


def rotate(
    keyring: Keyring, now: datetime, lives: Lives, *, new_ca: bool = False
) -> tuple[Keyring, list[str]]:
    """Renew what is due; return the new keyring and what was done.

    A new authority joins the bundle when less than a third of the old one's lifetime is left, or on
    demand. It signs only after the overlap, so that clients always trust the served certificate,
    which is renewed when it is due. Source: docs/webhook.md, "Certificates".
    """
    done: list[str] = []
    signer = _first(keyring.signer.certificate)
    if keyring.successor is not None and _first(keyring.successor.certificate).end <= now:
        keyring = replace(keyring, successor=None)
    if keyring.successor is not None:
        successor = _first(keyring.successor.certificate)
        if now - successor.issued >= lives.overlap or signer.end <= now:
            keyring = replace(keyring, signer=keyring.successor, successor=None)
            done.append(f"the authority {successor.subject} signs from now on")
    elif new_ca or signer.is_due(now):
        added = new_authority(AUTHORITY_NAME, now, lives.authority)
        keyring = replace(keyring, bundle=(*keyring.bundle, added.certificate), successor=added)
        done.append(f"the authority {_first(added.certificate).subject} joined the bundle")
        if signer.end <= now:
            # The served certificate is no longer trusted, so there is nothing to overlap with.
            keyring = replace(keyring, signer=added, successor=None)
            done.append("it signs at once, because the former one has expired")
    keyring = _renew(keyring, now, lives, done)
    return _forget_expired(keyring, now, done), done


def _renew(keyring: Keyring, now: datetime, lives: Lives, done: list[str]) -> Keyring:
    server = _first(keyring.server.certificate)
    if server.issuer_id == key_id_of(keyring.signer.key) and not server.is_due(now):
        return keyring
    renewed = new_server(keyring.signer, server.names, now, lives.server)
    done.append(f"the certificate of {', '.join(server.names)} was renewed")
    return replace(keyring, server=renewed)


def _forget_expired(keyring: Keyring, now: datetime, done: list[str]) -> Keyring:
    kept = []
    for certificate in keyring.bundle:
        facts = _first(certificate)
        if facts.end > now or certificate == keyring.signer.certificate:
            kept.append(certificate)
        else:
            done.append(f"the authority {facts.subject} has expired and left the bundle")
    return replace(keyring, bundle=tuple(kept))


def assemble(
    trusted: bytes, signer_key: bytes, successor_key: bytes | None, server: Pair
) -> Keyring:
    """Return the keyring in these PEM texts. Raises ValueError if they do not fit together."""
    bundle = split_bundle(trusted)
    by_key = {_first(certificate).key_id: certificate for certificate in bundle}

    def pair_of(key: bytes, whose: str) -> Pair:
        certificate = by_key.get(key_id_of(key))
        if certificate is None:
            raise ValueError(f"the bundle has no certificate for the key of {whose}")
        return Pair(certificate, key)

    signer = pair_of(signer_key, "the authority")
    successor = pair_of(successor_key, "the next authority") if successor_key else None
    facts = _first(server.certificate)
    if facts.key_id != key_id_of(server.key):
        raise ValueError("the server's key does not belong to its certificate")
    if not facts.names:
        raise ValueError("the server's certificate has no names")
    return Keyring(tuple(bundle), signer, server, successor)


def _first(pem: bytes) -> Facts:
    return read_certificates(pem)[0]

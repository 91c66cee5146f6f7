"""X.509 certificates: reading, checking and issuing; the only module that knows cryptography.

Keys are ECDSA P-256 in PKCS#8, unencrypted. Times are aware and in UTC.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

BACKDATE: Final = timedelta(hours=1)
"""How long before its issue a certificate is valid, for clocks that are behind."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate, with its chain if there is one, and its key, both in PEM."""

    certificate: bytes
    key: bytes


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a certificate. `names` are its alternative names, including addresses.

    `key_id` is the digest of its public key, `issuer_id` that of the key that signed it, if it has
    them; `fingerprint` is the SHA-256 of the whole, in hexadecimal.
    """

    subject: str
    names: tuple[str, ...]
    begin: datetime
    end: datetime
    authority: bool
    key_id: str
    issuer_id: str
    fingerprint: str

    @property
    def issued(self) -> datetime:
        """When holdall issued it; meaningless for other certificates."""
        return self.begin + BACKDATE

    def is_due(self, now: datetime) -> bool:
        """Return whether less than a third of its lifetime is left."""
        return self.end - now < (self.end - self.begin) / 3


def read_certificates(pem: bytes) -> list[Facts]:
    """Return the facts of all certificates of a PEM file. Raises ValueError if there is none."""
    return [_facts(one) for one in x509.load_pem_x509_certificates(pem)]


def expiry_of(pem: bytes) -> float:
    """Return when the first certificate of a PEM file expires, in seconds since 1970.

    Raises ValueError if there is no readable one.
    """
    return x509.load_pem_x509_certificates(pem)[0].not_valid_after_utc.timestamp()


def split_bundle(pem: bytes) -> list[bytes]:
    """Return the certificates of a PEM file one by one. Raises ValueError if there is none."""
    return [_pem(one) for one in x509.load_pem_x509_certificates(pem)]


def key_id_of(key: bytes) -> str:
    """Return the digest of a private key's public half. Raises ValueError if it is not a key."""
    return _key_id(_read_key(key).public_key())


def new_authority(name: str, now: datetime, life: timedelta) -> Pair:
    """Return a new self-signed certificate authority, only for servers."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(f"{name} {now:%Y-%m-%d %H:%M:%S}")
    return _issue(subject, subject, key, key, now, now + life)


def new_server(authority: Pair, names: Sequence[str], now: datetime, life: timedelta) -> Pair:
    """Return a serving certificate for DNS names and IP addresses, with a key of its own.

    It does not outlive its authority. Raises ValueError if the authority cannot be read, or if a
    name is invalid.
    """
    issuer = x509.load_pem_x509_certificate(authority.certificate)
    signer = _read_key(authority.key)
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise ValueError("the authority's key is not an elliptic-curve key")
    key = ec.generate_private_key(ec.SECP256R1())
    end = min(now + life, issuer.not_valid_after_utc)
    return _issue(_name(names[0]), issuer.subject, key, signer, now, end, names)


def _issue(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    now: datetime,
    end: datetime,
    names: Sequence[str] = (),
) -> Pair:
    """Return a certificate of a server with names, or of an authority without."""
    is_ca = not names
    public, above = key.public_key(), signer.public_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATE)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(above), critical=False)
        .add_extension(x509.BasicConstraints(is_ca, 0 if is_ca else None), critical=True)
        .add_extension(_usage(certificates=is_ca), critical=True)
    )
    if names:
        alternatives = x509.SubjectAlternativeName([_alternative(name) for name in names])
        servers = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(alternatives, critical=False)
        builder = builder.add_extension(servers, critical=False)
    certificate = builder.sign(signer, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return Pair(_pem(certificate), private)


def _facts(certificate: x509.Certificate) -> Facts:
    extensions = certificate.extensions
    names: tuple[str, ...] = ()
    authority = False
    issuer = b""
    for extension in extensions:
        match extension.value:
            case x509.SubjectAlternativeName() as found:
                names = tuple(str(name.value) for name in found)
            case x509.BasicConstraints() as found:
                authority = found.ca
            case x509.AuthorityKeyIdentifier() as found:
                issuer = found.key_identifier or b""
    return Facts(
        subject=certificate.subject.rfc4514_string(),
        names=names,
        begin=certificate.not_valid_before_utc,
        end=certificate.not_valid_after_utc,
        authority=authority,
        key_id=_key_id(certificate.public_key()),
        issuer_id=issuer.hex(),
        fingerprint=certificate.fingerprint(hashes.SHA256()).hex(),
    )


def _key_id(key: object) -> str:
    return x509.SubjectKeyIdentifier.from_public_key(key).digest.hex()  # type: ignore[arg-type]


def _read_key(pem: bytes) -> PrivateKeyTypes:
    try:
        return serialization.load_pem_private_key(pem, password=None)
    except (TypeError, UnsupportedAlgorithm) as error:  # TypeError: it is encrypted
        raise ValueError("the key is encrypted, or of an unknown kind") from error


def _usage(*, certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=certificates,
        crl_sign=certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _name(text: str) -> x509.Name:
    # A common name has at most 64 characters; clients only check the alternative names.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)

"""Certificates for 127.0.0.1, made for one run and never kept."""

from __future__ import annotations

import base64
import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_PEM = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True)
class Pair:
    """The files of a certificate and its private key, both PEM."""

    certificate: Path
    key: Path


class Authority:
    """A certificate authority that signs certificates for 127.0.0.1."""

    def __init__(self, name: str = "e2e") -> None:
        """Make the key and the self-signed certificate."""
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._certificate = (
            _builder(self._name, self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def pem(self) -> bytes:
        """The certificate of the authority."""
        return self._certificate.public_bytes(_PEM)

    @property
    def bundle(self) -> str:
        """The certificate as a CRD's `caBundle` holds it: base64 of the PEM."""
        return base64.b64encode(self.pem).decode()

    def bundle_with(self, other: Authority) -> str:
        """Return the bundle of both authorities."""
        return base64.b64encode(self.pem + other.pem).decode()

    def issue(self, folder: Path, name: str = "tls") -> Pair:
        """Write a new key and its certificate to `<name>.key` and `<name>.crt`."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        certificate = (
            _builder(subject, self._name, key.public_key())
            .add_extension(x509.SubjectAlternativeName([address]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        pair = Pair(folder / f"{name}.crt", folder / f"{name}.key")
        pair.certificate.write_bytes(certificate.public_bytes(_PEM))
        pair.key.write_bytes(private_pem(key))
        return pair


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a private key as unencrypted PEM, in the form that old Go programs read, too."""
    return key.private_bytes(
        _PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
    )

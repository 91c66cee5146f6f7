"""The server's certificate: loaded, watched, and replaced without closing connections."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Final

from holdall.errors import Problem, SourceError
from holdall.webhook import counts as names
from holdall.webhook.certificates import Pair, expiry_of
from holdall.webhook.counts import Counts
from holdall.webhook.logs import LOG, facts

_FIX: Final = "name the PEM files of a certificate chain and of its unencrypted private key"


class ServingCertificate:
    """An SSL context that follows two files.

    `poll` replaces the pair if the files have changed and the new pair is valid; otherwise the old
    one stays in service. Only new handshakes use a new pair. Expired certificates are served, with
    an error in the log: a wrong clock must not take a webhook down. Source: docs/conform.md, WC-76.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._certificate = certificate
        self._key = key
        self._pair = _read_pair(certificate, key)
        self.context = _new_context()
        self.end = self._load(self.context, self._pair)
        self._refused: Pair | None = None
        self._unreadable = False

    def poll(self, counts: Counts) -> bool:
        """Check the files; return whether a new certificate is in service. Never raises."""
        counts.totals[names.CERTIFICATE_READS] += 1
        counts.certificate_end = self.end
        try:
            pair = _read_pair(self._certificate, self._key)
        except SourceError as error:
            if not self._unreadable:
                self._report(counts, error)
            self._unreadable = True
            return False
        self._unreadable = False
        if pair in (self._pair, self._refused):
            return False
        try:
            # The context in use must not be left with half of a pair.
            self._load(_new_context(), pair)
            self.end = self._load(self.context, pair)
        except SourceError as error:
            self._refused = pair
            self._report(counts, error)
            return False
        except OSError as error:  # not a fault of the pair: it is tried again
            self._report(counts, error)
            return False
        self._pair = pair
        self._refused = None
        counts.certificate_end = self.end
        counts.totals[names.CERTIFICATE_SWAPS] += 1
        LOG.info("the certificate was replaced", extra=facts(expires=self.end))
        self.warn_if_expired()
        return True

    def warn_if_expired(self) -> None:
        """Log an error if the certificate in service has expired."""
        if self.end < time():
            LOG.error("the certificate has expired", extra=facts(expired=self.end))

    def _report(self, counts: Counts, error: SourceError | OSError) -> None:
        counts.totals[names.CERTIFICATE_ERRORS] += 1
        LOG.error("the changed certificate is refused", extra=facts(problem=str(error)))

    def _load(self, context: ssl.SSLContext, pair: Pair) -> float:
        """Load a pair into a context; return when it expires. Raises SourceError."""
        try:
            end = expiry_of(pair.certificate)
        except ValueError as error:
            text = "it contains no X.509 certificate in PEM form"
            where = self._certificate.as_posix()
            raise SourceError([Problem("HA821", where, text, _FIX)]) from error
        with _as_file(pair.certificate + b"\n" + pair.key) as path:
            try:
                context.load_cert_chain(path, password=_refuse_password)
            except (ssl.SSLError, ValueError, OSError) as error:
                raise SourceError([self._explain(error)]) from error
        return end

    def _explain(self, error: Exception) -> Problem:
        if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
            text = f"the key does not belong to the certificate {self._certificate.as_posix()}"
            return Problem("HA823", self._key.as_posix(), text, _FIX)
        text = "it contains no unencrypted private key in PEM form"
        return Problem("HA822", self._key.as_posix(), text, _FIX)


def _new_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


def _read_pair(certificate: Path, key: Path) -> Pair:
    problems = []
    found = []
    for path in (certificate, key):
        try:
            found.append(path.read_bytes())
        except OSError as error:
            text = f"cannot be read: {error.strerror}"
            problems.append(Problem("HA820", path.as_posix(), text, _FIX))
    if problems and not certificate.parent.is_dir() and certificate.parent == key.parent:
        text, where = "there is no such folder", certificate.parent.as_posix()
        raise SourceError([Problem("HA820", where, text, _FIX)])
    if problems:
        raise SourceError(dict.fromkeys(problems))  # the pair may be one file
    return Pair(*found)


def _refuse_password() -> str:
    """Refuse encrypted keys, instead of asking for a password on the terminal."""
    raise ValueError("the key is encrypted")


@contextmanager
def _as_file(data: bytes) -> Iterator[str]:
    """Give bytes a path: the ssl module reads only files, and those on disk may have changed."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("holdall-certificate")
        try:
            os.write(descriptor, data)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "pair.pem")
            path.touch(mode=0o600)
            path.write_bytes(data)
            yield str(path)

"""The serving certificate: what is loaded, swapped or refused, and who notices."""

from __future__ import annotations

import hashlib
import shutil
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import pytest

from holdall.errors import SourceError
from holdall.webhook.certificates import read_certificates
from holdall.webhook.counts import Counts
from holdall.webhook.tls import ServingCertificate
from tests.support.reviews import body_of
from tests.support.serving import Served, exchange, serving, until, write_certificates

BODY = body_of([], "example.com/v2")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def load(folder: Path) -> ServingCertificate:
    return ServingCertificate(folder / "tls.crt", folder / "tls.key")


def fingerprint(folder: Path) -> str:
    return read_certificates((folder / "tls.crt").read_bytes())[0].fingerprint


def served_fingerprint(certificate: ServingCertificate) -> str:
    """Return what a new handshake sees."""
    one, other = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    client = context.wrap_bio(one, other)
    server = certificate.context.wrap_bio(other, one, server_side=True)
    for _ in range(3):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    found = client.getpeercert(binary_form=True)
    assert found is not None
    return hashlib.sha256(found).hexdigest()


def break_missing(folder: Path) -> None:
    (folder / "tls.crt").unlink()


def break_certificate(folder: Path) -> None:
    (folder / "tls.crt").write_text("no certificate")


def break_key(folder: Path) -> None:
    (folder / "tls.key").write_text("no key")


def break_unreadable(folder: Path) -> None:
    (folder / "tls.key").unlink()
    (folder / "tls.key").mkdir()  # nobody can read this, not even root


def break_match(folder: Path) -> None:
    other = write_certificates(folder / "other")
    shutil.copy(other / "tls.key", folder / "tls.key")


def break_encryption(folder: Path) -> None:
    from cryptography.hazmat.primitives import serialization as s

    key = s.load_pem_private_key((folder / "tls.key").read_bytes(), None)
    sealed = s.BestAvailableEncryption(b"secret")
    text = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, sealed)
    (folder / "tls.key").write_bytes(text)


BREAKS = {
    break_missing: "HA820",
    break_unreadable: "HA820",
    break_certificate: "HA821",
    break_key: "HA822",
    break_encryption: "HA822",
    break_match: "HA823",
}


@pytest.mark.parametrize("fault", BREAKS, ids=lambda act: act.__name__)
def test_a_broken_pair_does_not_load(tmp_path: Path, fault: object) -> None:
    """Each fault has its code and names the file."""
    write_certificates(tmp_path)
    fault(tmp_path)  # type: ignore[operator]
    with pytest.raises(SourceError) as caught:
        load(tmp_path)
    (problem,) = caught.value.problems
    assert problem.code == BREAKS[fault]  # type: ignore[index]
    assert problem.where.startswith(tmp_path.as_posix())


def test_one_file_for_both_is_reported_once(tmp_path: Path) -> None:
    """A pair may be one file."""
    with pytest.raises(SourceError) as caught:
        ServingCertificate(tmp_path / "x", tmp_path / "x")
    assert [problem.where for problem in caught.value.problems] == [(tmp_path / "x").as_posix()]


@pytest.mark.parametrize("fault", BREAKS, ids=lambda act: act.__name__)
def test_a_broken_change_keeps_the_old_pair(tmp_path: Path, fault: object) -> None:
    """The old pair stays in service, the fault counts once, and a mended pair is taken."""
    write_certificates(tmp_path)
    certificate, counts = load(tmp_path), Counts()
    before = fingerprint(tmp_path)
    fault(tmp_path)  # type: ignore[operator]
    for _ in range(3):
        assert not certificate.poll(counts)
    assert served_fingerprint(certificate) == before
    assert counts.totals["certificate_reads"] == 3
    assert counts.totals["certificate_errors"] == 1
    shutil.rmtree(tmp_path)
    write_certificates(tmp_path)
    assert certificate.poll(counts)
    assert served_fingerprint(certificate) == fingerprint(tmp_path) != before
    assert counts.totals["certificate_swaps"] == 1
    assert counts.certificate_end == certificate.end


def test_the_same_bytes_are_no_change(tmp_path: Path) -> None:
    """A rewritten file with the same bytes swaps nothing."""
    write_certificates(tmp_path)
    certificate = load(tmp_path)
    data = (tmp_path / "tls.crt").read_bytes()
    (tmp_path / "tls.crt").unlink()
    (tmp_path / "tls.crt").write_bytes(data)
    assert not certificate.poll(Counts())


def test_a_half_written_rotation_is_not_taken(tmp_path: Path) -> None:
    """Between the writing of key and certificate the old pair serves; then the new one."""
    write_certificates(tmp_path)
    certificate = load(tmp_path)
    new = write_certificates(tmp_path / "new")
    shutil.copy(new / "tls.key", tmp_path / "tls.key")
    assert not certificate.poll(Counts())
    shutil.copy(new / "tls.crt", tmp_path / "tls.crt")
    assert certificate.poll(Counts())
    assert served_fingerprint(certificate) == fingerprint(new)


def test_a_pair_that_could_not_be_looked_at_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many open files say nothing about it, and must not end the looking."""

    def refuse(_: bytes) -> NoReturn:
        raise OSError(24, "Too many open files")

    write_certificates(tmp_path)
    certificate, counts = load(tmp_path), Counts()
    write_certificates(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("holdall.webhook.tls._as_file", refuse)
        assert not certificate.poll(counts)
    assert counts.totals["certificate_errors"] == 1
    assert certificate.poll(counts)
    assert served_fingerprint(certificate) == fingerprint(tmp_path)


def test_mounted_secrets_swap_by_links(tmp_path: Path) -> None:
    """A Secret's mount changes by a link that points elsewhere: that is seen."""
    for name in ("one", "two"):
        write_certificates(tmp_path / name)
    mount = tmp_path / "data"
    mount.symlink_to(tmp_path / "one")
    certificate = ServingCertificate(mount / "tls.crt", mount / "tls.key")
    (tmp_path / "draft").symlink_to(tmp_path / "two")
    (tmp_path / "draft").rename(mount)
    assert certificate.poll(Counts())
    assert served_fingerprint(certificate) == fingerprint(tmp_path / "two")


def test_an_expired_pair_is_served_and_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Refusing it would help nobody, and the clock may be wrong: an error in the log, a metric."""
    write_certificates(tmp_path, now=LONG_AGO)
    certificate, counts = load(tmp_path), Counts()
    certificate.warn_if_expired()
    assert "the certificate has expired" in caplog.messages
    certificate.poll(counts)
    assert counts.certificate_end < datetime.now(UTC).timestamp()
    assert served_fingerprint(certificate) == fingerprint(tmp_path)


# --- in a running server ---

FAST = (
    "import functools, holdall.cli.serve as s; "
    "s.ServerOptions = functools.partial(s.ServerOptions, poll=0.05)"
)


def metric(served: Served, name: str) -> float:
    lines = served.ask("GET", "/metrics")[1].decode().splitlines()
    (value,) = [x.split()[1] for x in lines if x.startswith(f"holdall_webhook_{name} ")]
    return float(value)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_rotation_keeps_connections(things: Path, tmp_path: Path, workers: str) -> None:
    """WC-76: an open connection goes on over rotations, good and broken; new ones see the new
    certificate, and the old one while the new one is broken.
    """
    with serving(things, tmp_path, "--workers", workers, settings=FAST) as served:
        client = served.client()
        assert exchange(client, "POST", "/convert", BODY)[0] == 200
        opened = client.sock
        former = served.trust()
        write_certificates(tmp_path)

        def renewed() -> bool:
            """Tell whether whoever trusts only the new authority is served, by all workers."""
            try:
                return all(served.ask()[0] == 200 for _ in range(10))
            except ssl.SSLError:
                return False

        until(renewed)
        with pytest.raises(ssl.SSLCertVerificationError), served.dial() as raw:
            former.wrap_socket(raw, server_hostname="127.0.0.1")
        assert exchange(client, "POST", "/convert", BODY)[0] == 200

        (tmp_path / "tls.key").write_text("broken")
        until(lambda: metric(served, "certificate_errors_total") >= 1)
        assert served.ask() == (200, b"ok")
        assert exchange(client, "POST", "/convert", BODY)[0] == 200
        assert client.sock is opened
        client.close()
        assert served.end() == 0


def test_a_worker_that_starts_while_the_files_are_broken_serves(
    things: Path, tmp_path: Path
) -> None:
    """A worker's successor takes the last good pair from the supervisor, not from the files."""
    import os
    import signal

    with serving(things, tmp_path, "--workers", "2", settings=FAST) as served:
        (tmp_path / "tls.crt").write_text("broken")
        until(lambda: metric(served, "certificate_errors_total") >= 1)
        workers = until(lambda: len(served.workers()) == 2 and served.workers())
        for victim in workers:
            os.kill(victim, signal.SIGKILL)
        until(lambda: len(set(served.workers()) - set(workers)) == 2)
        assert served.ask() == (200, b"ok")

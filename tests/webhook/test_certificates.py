"""The webhook's own authority: issue, rotation, folder, commands. The clock is an argument."""

from __future__ import annotations

import base64
import json
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdall.cli import main
from holdall.text.yaml import load_all
from holdall.webhook.certificates import read_certificates
from holdall.webhook.key_files import KeyFileError, read_keyring, write_keyring
from holdall.webhook.keyring import Keyring, Lives, create, rotate

NAMES = ("hook.shop.svc", "127.0.0.1", "::1")
LIVES = Lives(timedelta(days=100), timedelta(days=10), timedelta(hours=24))
START = datetime(2030, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def is_trusted(trusted: bytes, keyring: Keyring, folder: Path, name: str = "127.0.0.1") -> bool:
    """Ask OpenSSL whether a client with a bundle trusts what is served, by a real handshake.

    Only for certificates that are valid by the clock of this machine.
    """
    pair = folder / "pair.pem"
    pair.write_bytes(keyring.server.certificate + keyring.server.key)
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(pair)
    client_context = ssl.create_default_context(cadata=trusted.decode())
    one, other = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(one, other, server_hostname=name)
    server = server_context.wrap_bio(other, one, server_side=True)
    for _ in range(3):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError:
                return False
            except ssl.SSLError:  # the server hears of the refusal
                return False
    return True


def test_a_certificate_is_for_its_names_only(tmp_path: Path) -> None:
    """A client with the bundle trusts each name, and no other."""
    keyring = create(NAMES, datetime.now(UTC), LIVES)
    for name in NAMES:
        assert is_trusted(keyring.trusted, keyring, tmp_path, name)
    assert not is_trusted(keyring.trusted, keyring, tmp_path, "other.shop.svc")
    stranger = create(NAMES, datetime.now(UTC), LIVES)
    assert not is_trusted(stranger.trusted, keyring, tmp_path)


def test_keys_are_small_and_plain() -> None:
    """ECDSA P-256 in PKCS#8, unencrypted; the server's certificate is no authority."""
    keyring = create(NAMES, START, LIVES)
    assert keyring.server.key.startswith(b"-----BEGIN PRIVATE KEY-----")
    assert len(keyring.server.key) < 300
    (server,) = read_certificates(keyring.server.certificate)
    (authority,) = read_certificates(keyring.trusted)
    assert (server.authority, authority.authority) == (False, True)
    assert set(server.names) == set(NAMES)
    assert server.issuer_id == authority.key_id
    assert server.begin < START < server.end == START + LIVES.server


def test_nothing_is_done_before_it_is_due() -> None:
    """Two thirds of a life change nothing."""
    keyring = create(NAMES, START, LIVES)
    assert rotate(keyring, START + 6 * DAY, LIVES) == (keyring, [])


def test_the_serving_certificate_is_renewed_in_time() -> None:
    """The last third of its life renews it, with a new key, by the same authority."""
    keyring = create(NAMES, START, LIVES)
    renewed, done = rotate(keyring, START + 7 * DAY, LIVES)
    assert len(done) == 1
    assert renewed.bundle == keyring.bundle
    assert renewed.server.key != keyring.server.key
    assert set(renewed.names) == set(NAMES)
    assert read_certificates(renewed.server.certificate)[0].end == START + 17 * DAY


def issuer_is_trusted(trusted: bytes, keyring: Keyring) -> bool:
    """Tell whether a bundle has the issuer of what is served."""
    (server,) = read_certificates(keyring.server.certificate)
    return server.issuer_id in {facts.key_id for facts in read_certificates(trusted)}


def test_years_of_daily_rotation_leave_no_client_behind() -> None:
    """Run every day over three lives of an authority: at each moment, clients that have the
    bundle of yesterday trust what is served today, and nothing that is served has expired.
    """
    keyring = create(NAMES, START, LIVES)
    former = keyring
    authorities = set()
    for day in range(300):
        now = START + day * DAY + timedelta(minutes=day % 7)
        keyring, _ = rotate(keyring, now, LIVES)
        (server,) = read_certificates(keyring.server.certificate)
        assert server.begin <= now < server.end
        assert issuer_is_trusted(former.trusted, keyring)  # an old bundle, the new certificate
        assert issuer_is_trusted(keyring.trusted, former)  # the new bundle, an old certificate
        assert all(facts.end > now for facts in read_certificates(keyring.trusted))
        assert len(keyring.bundle) <= 3
        authorities.add(keyring.signer.certificate)
        former = keyring
    assert len(authorities) >= 4


def test_a_new_authority_joins_before_it_signs() -> None:
    """On demand: first the bundle has both, then, after the overlap, the new one signs."""
    first = create(NAMES, START, LIVES)
    joined, _ = rotate(first, START + DAY, LIVES, new_ca=True)
    assert joined.bundle[0] == first.bundle[0]
    assert len(joined.bundle) == 2
    assert joined.server == first.server
    assert rotate(joined, START + DAY + timedelta(hours=23), LIVES)[1] == []
    switched, done = rotate(joined, START + 2 * DAY, LIVES)
    assert len(done) == 2
    assert switched.bundle == joined.bundle
    assert switched.signer == joined.successor
    assert issuer_is_trusted(joined.trusted, switched)


@pytest.mark.parametrize("late", [100, 500])
def test_what_has_expired_is_mended_at_once(late: int) -> None:
    """When nobody rotated in time there is nothing to overlap with: all is new in one step."""
    keyring, done = rotate(create(NAMES, START, LIVES), START + late * DAY, LIVES)
    assert any("has expired" in line for line in done)
    (server,) = read_certificates(keyring.server.certificate)
    assert server.end > START + late * DAY
    assert issuer_is_trusted(keyring.trusted, keyring)


def test_an_authority_that_expired_before_it_signed_never_signs() -> None:
    """Nobody rotated for the life of both: all is new in one step, and can be kept."""
    joined, _ = rotate(create(NAMES, START, LIVES), START, LIVES, new_ca=True)
    now = START + 500 * DAY
    keyring, _ = rotate(joined, now, LIVES)
    assert (keyring.successor, len(keyring.bundle)) == (None, 1)
    assert read_certificates(keyring.server.certificate)[0].end > now
    assert issuer_is_trusted(keyring.trusted, keyring)


def test_a_certificate_does_not_outlive_its_authority() -> None:
    """The end of the authority bounds what it signs."""
    keyring = create(NAMES, START, Lives(timedelta(days=5), timedelta(days=10)))
    assert read_certificates(keyring.server.certificate)[0].end == START + 5 * DAY


# --- in a folder ---


def test_a_keyring_comes_back_from_its_folder(tmp_path: Path) -> None:
    """What is written is read, also in the middle of a rotation; files are the owner's alone."""
    keyring = create(NAMES, START, LIVES)
    joined, _ = rotate(keyring, START + DAY, LIVES, new_ca=True)
    switched, _ = rotate(joined, START + 3 * DAY, LIVES)
    for one in (keyring, joined, switched):
        write_keyring(tmp_path, one)
        assert read_keyring(tmp_path) == one
        for path in tmp_path.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    names = {".gitignore", "ca.crt", "ca.key", "tls.crt", "tls.key"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert "*" in (tmp_path / ".gitignore").read_text().splitlines()


def test_all_faults_of_a_folder_are_found(tmp_path: Path) -> None:
    """Missing and malformed files are listed together, each with its path."""
    write_keyring(tmp_path, create(NAMES, START, LIVES))
    (tmp_path / "ca.key").unlink()
    (tmp_path / "tls.crt").write_text(
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    )
    (tmp_path / "tls.key").write_bytes(b"\x00")
    with pytest.raises(KeyFileError) as caught:
        read_keyring(tmp_path)
    found = {(p.code, Path(p.where).name) for p in caught.value.problems}
    assert found == {("HA831", "ca.key"), ("HA832", "tls.crt"), ("HA832", "tls.key")}


def test_keys_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """The key of another authority signs nothing."""
    write_keyring(tmp_path, create(NAMES, START, LIVES))
    (tmp_path / "ca.key").write_bytes(create(NAMES, START, LIVES).signer.key)
    with pytest.raises(KeyFileError, match="HA832"):
        read_keyring(tmp_path)


# --- the command ---


def test_create_rotate_and_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands as a user runs them, one after the other."""
    folder = str(tmp_path / "keys")
    assert main(["certs", "create", folder, "--service", "hook.shop", "--ip", "127.0.0.1"]) == 0
    assert main(["certs", "rotate", folder]) == 0
    assert "nothing is due" in capsys.readouterr().out
    assert main(["certs", "rotate", folder, "--new-ca", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["done"]) == 1
    assert main(["certs", "show", folder, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [one["authority"] for one in shown] == [True, True, False]
    assert shown[2]["names"][:2] == ["hook.shop.svc", "hook.shop.svc.cluster.local"]
    assert main(["certs", "show", folder, "--within", "366"]) == 1
    assert "days left" in capsys.readouterr().out
    assert main(["certs", "create", folder, "--dns", "a.b"]) == 2
    assert "HA834" in capsys.readouterr().err


def test_manifests_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two Secrets, and a patch for each CRD that has `caBundle` and nothing else."""
    folder = tmp_path / "keys"
    arguments = ["--service", "hook.shop", "--print", "--crd", "things.example.com"]
    assert main(["certs", "create", str(folder), *arguments]) == 0
    texts = load_all(capsys.readouterr().out, "printed")
    server, authority, patch = [document.value for document in texts]
    assert isinstance(server, dict) and isinstance(authority, dict) and isinstance(patch, dict)
    assert server["metadata"] == {"name": "hook-tls", "namespace": "shop"}
    data = server["data"]
    assert isinstance(data, dict)
    assert set(data) == {"tls.crt", "tls.key", "ca.crt"}
    bundle = base64.b64encode((folder / "ca.crt").read_bytes()).decode()
    assert patch["spec"] == {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}}
    assert "ca.key" in str(authority)
    assert "ca.key" not in str(server)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--service", "hook"],
        ["--service", "Hook.Shop"],
        ["--dns", "a b"],
        ["--ip", "300.1.1.1"],
        ["--dns", "a.b", "--print"],
        ["--dns", "a.b", "--crd", "x"],
    ],
)
def test_wrong_use_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    """Nothing is written for names that are none, or options that do not fit."""
    assert main(["certs", "create", str(tmp_path / "keys"), *arguments]) == 2
    assert not (tmp_path / "keys").exists()


def test_an_expired_certificate_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`show` exits with 1 for what has expired or is not valid yet, and with 2 for no file."""
    for start, state in (
        (datetime(2020, 1, 1, tzinfo=UTC), "expired"),
        (datetime(2090, 1, 1, tzinfo=UTC), "not valid yet"),
    ):
        folder = tmp_path / state
        write_keyring(folder, create(NAMES, start, LIVES))
        assert main(["certs", "show", str(folder / "tls.crt")]) == 1
        assert state in capsys.readouterr().out
    assert main(["certs", "show", str(tmp_path / "none.crt")]) == 2
    assert "HA831" in capsys.readouterr().err

"""CA bundles, those of strangers included."""

from __future__ import annotations

from holdall.kubernetes.crds.certificates import read_bundle, read_pem


def test_a_kind_that_does_not_belong_there() -> None:
    body = "Proc-Type: 4,ENCRYPTED\n\nAA-BB"
    faults, _ = read_pem(f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----".encode())
    assert faults == ["the caBundle contains a PRIVATE KEY, but only certificates belong there"]


def test_a_bundle_with_letters_that_base64_lacks() -> None:
    for bundle in ("é", "!"):
        faults, _ = read_bundle(bundle)
        assert faults[0].startswith("the caBundle is not base64: ")


def test_a_bundle_of_beginnings_is_read_once() -> None:
    """What takes the square of its length would take an hour."""
    for text in ("-----BEGIN A-----\n", "-----BEGIN A", "-"):
        assert read_pem(text.encode() * 200_000)[0] == ["the caBundle contains no PEM certificate"]

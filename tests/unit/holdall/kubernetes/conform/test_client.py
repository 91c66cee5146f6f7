"""The client of the checks: addresses that are none, and bodies that are not what they say."""

from __future__ import annotations

import gzip

import pytest

from holdall.kubernetes.conform.client import ConnectError, Endpoint, Response
from holdall.kubernetes.conform.trial import body_of
from holdall.kubernetes.conform.verdicts import Failed


@pytest.mark.parametrize("url", ["https://[::1/convert", "https://a..b/convert"])
def test_an_address_that_is_none(url: str) -> None:
    """It is told as what cannot be reached."""
    with pytest.raises(ConnectError):
        Endpoint.of(url).connect()


@pytest.mark.parametrize(
    ("url", "authority"), [("https://[::1]/x", "[::1]:443"), ("https://a:8443/x", "a:8443")]
)
def test_hosts_are_named_as_in_urls(url: str, authority: str) -> None:
    """Requests name the host as addresses do, so that a port can be told from it."""
    endpoint = Endpoint.of(url)
    assert (endpoint.authority, endpoint.url()) == (authority, f"https://{authority}/x")


def test_a_damaged_body() -> None:
    """A body that cannot be unpacked is a failure of the webhook, not one of the check."""
    packed = gzip.compress(b'{"a": 1}' * 100)
    for body in (b"x", packed[:-4], packed[:15] + b"\xff\xff\xff" + packed[18:]):
        with pytest.raises(Failed, match="the body is not gzip"):
            body_of(Response(200, {"content-encoding": "gzip"}, body, 1, 0.0))

"""The sample project on bad input: every place of every kind and version."""

from __future__ import annotations

import pytest

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from holdall.scheme.scheme import Scheme
from tests.support.bad_input import check_bad_input, kinds_of

CASES = [(scheme, *case) for scheme in (BATCH, FLEET) for case in kinds_of(scheme)]
IDS = [f"{kind} {version}" for _, kind, version in CASES]


@pytest.mark.parametrize(("scheme", "kind", "version"), CASES, ids=IDS)
def test_bad_input_converts_or_is_located(
    scheme: Scheme, kind: str, version: str, walk_seed: int
) -> None:
    """A bad object comes back exactly or is an error at its place; neighbours are untouched."""
    check_bad_input(scheme, kind, version, limit=60, seed=walk_seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("scheme", "kind", "version"), CASES, ids=IDS)
def test_the_whole_walk(scheme: Scheme, kind: str, version: str) -> None:
    """The same with every bad object there is."""
    check_bad_input(scheme, kind, version)

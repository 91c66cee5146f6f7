"""Laws of declared groups, on random declarations and random objects."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from holdall.plan.declared import declared_types
from holdall.plan.plans import TypeRef
from tests.declared.random_declarations import Declarations, Objects
from tests.support.declared import Declared, declare

SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=15)


def group_of(seed: int, tracking: str) -> tuple[Declared, Random, list[str]]:
    random = Random(seed)
    writer = Declarations(random, tracking)
    text = writer.text()
    note(text)
    return declare(Path(tempfile.mkdtemp()), text), random, writer.versions


def objects(group: Declared, random: Random, version: str, count: int) -> list[dict[str, Any]]:
    types = declared_types(group.package)
    made = []
    for number in range(count):
        maker = Objects(random, types, partial=number % 2 == 1)
        document = maker.document(f"r.example.com/{version}", "Thing", TypeRef(version, "Thing"))
        made.append(document)
    return made


@pytest.mark.parametrize("carrier", ["status", "annotation", "bag"])
@SLOW
@given(seed=st.integers(0, 2**32))
@example(seed=187)  # a residue that passes an edge without conversions
@example(seed=445)  # nulls in a kept value, in another order on the way back
def test_any_walk_back_to_the_start_gives_the_same_object(carrier: str, seed: int) -> None:
    """Over any versions, step by step; and a version in between makes no difference."""
    group, random, versions = group_of(seed, f'tracking=Tracking(carrier="{carrier}")')
    for start in versions:
        for document in objects(group, random, start, 4):
            note(repr(document))
            before = copy.deepcopy(document)
            walk = [random.choice(versions) for _ in range(3)]
            moved = document
            for stop in [*walk, start]:
                moved = group.convert(moved, to=stop)
            assert moved == before, walk
            assert document == before
            for end in versions:
                direct = group.convert(document, to=end)
                detour = group.convert(direct, to=random.choice(versions))
                assert group.convert(detour, to=end) == direct, end


@SLOW
@given(seed=st.integers(0, 2**32))
def test_typed_objects_go_the_way_of_their_documents(seed: int) -> None:
    """With their tracked values, so that they come back too."""
    group, random, versions = group_of(seed, "tracking=Tracking()")
    for start in versions:
        for document in objects(group, random, start, 4)[::2]:  # typed objects are whole ones
            note(repr(document))
            typed = group.api(start).Thing.from_dict(document)
            end = random.choice(versions)
            there = group.convert(typed, to=end)
            assert there.to_dict() == group.convert(document, to=end)
            assert group.convert(there, to=start).to_dict() == document


@SLOW
@given(seed=st.integers(0, 2**32))
def test_with_all_entries_spec_and_user_status_return(seed: int) -> None:
    """The entries themselves may become more: they pin values."""
    group, random, versions = group_of(seed, 'tracking=Tracking(entries="all")')
    for start in versions:
        for document in objects(group, random, start, 4):
            note(repr(document))
            there = group.convert(document, to=random.choice(versions))
            back = group.convert(there, to=start)
            assert (back["spec"], back["metadata"]) == (document["spec"], document["metadata"])
            assert set(back.get("status", {})) <= {"changedValues"}


@SLOW
@given(seed=st.integers(0, 2**32))
def test_an_edit_in_another_version_stands(seed: int) -> None:
    """A value edited there is there after a trip to the start and back."""
    group, random, versions = group_of(seed, "tracking=Tracking()")
    start, far = versions[-1], versions[0]
    types = declared_types(group.package)
    for document in objects(group, random, start, 4):
        there = group.convert(document, to=far)
        maker = Objects(random, types, partial=False)
        fresh = maker.document(f"r.example.com/{far}", "Thing", TypeRef(far, "Thing"))["spec"]
        for name in random.sample(sorted(fresh), min(2, len(fresh))):
            there["spec"][name] = fresh[name]
        note(repr((document, there)))
        back = group.convert(group.convert(there, to=start), to=far)
        assert back["spec"] == there["spec"]


@SLOW
@given(seed=st.integers(0, 2**32))
def test_without_tracking_conversion_is_total_and_steady(seed: int) -> None:
    """What is not kept is gone, and going there again changes nothing more."""
    group, random, versions = group_of(seed, "unconvertible='warn'")
    for document in objects(group, random, versions[-1], 4):
        there = group.convert(document, to=versions[0])
        back = group.convert(there, to=versions[-1])
        again = group.convert(back, to=versions[0])
        assert group.convert(again, to=versions[-1]) == back
        assert set(there) == set(document)

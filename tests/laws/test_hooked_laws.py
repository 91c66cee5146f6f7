"""Laws where hooks or a server add something: what is sound passes, and the rest is still seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.engine import following
from holdall.engine.hops import Side
from holdall.engine.two_way_ends import End
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.projects import THING_CONFIG, build_project, scheme_of

SCHEMA = """
type: object
properties:
  metadata: {{type: object, additionalProperties: true}}
  spec: {{type: object, properties: {{{members}}}}}
"""
HOOK = """
from {generated}.things.v1.storage import Assignable%s
from holdall import Completing, Composed, Members, RefusedError, TwoWay

%s

class Hook(Composed, Assignable%s):
    parts = (Part(),)
"""


def laws_that_fail(
    root: Path,
    older: str,
    newer: str,
    type_: str = "",
    part: str = "",
    *,
    claimed: str = "",
    oldest: str = "",
) -> set[str]:
    """Check a kind with these members in its spec, and with a hook for one of its types.

    The `oldest` ones are those of v0.
    """
    files = {"v1.yaml": SCHEMA.format(members=older), "v2.yaml": SCHEMA.format(members=newer)}
    config = THING_CONFIG
    if oldest:
        files["v0.yaml"] = SCHEMA.format(members=oldest)
        source = '{schemas: v0.yaml, version: v0, kinds: {Thing: ""}}'
        config = config.replace("sources:", f"sources:\n      - {source}")
        config = config.replace("[v1, v2]", "[v0, v1, v2]")
    if part:
        files |= {"hooks/things.py": HOOK % (type_, part, type_)}
    if claimed:
        config += f"    between: {{v1 -> v2: {{{type_}: {{{claimed}: {{strategy: hook}}}}}}}}\n"
    subject = Subject(scheme_of(build_project(root, config, files)))
    outcome = Outcome()
    for start in ("v0", "v1", "v2") if oldest else ("v1", "v2"):
        outcome.merge(check_kind(Tools.of(subject), "Thing", start, range(200)))
    return {law for law, *_ in outcome.findings}


TEXT = "mode: {type: string}"
FILLED = "mode: {type: string, default: rw}"
NOTE = "note: {type: string}"


@pytest.mark.parametrize("within", ["%s", "parts: {type: object, properties: {%s}}"])
def test_a_default_of_one_version_is_shown_in_the_other(within: str, tmp_path: Path) -> None:
    """What a server fills in at v1 is written there, so v2 shows it without a default."""
    older, newer = within % FILLED, within % TEXT
    assert laws_that_fail(tmp_path, older, f"{newer}, {NOTE}") == set()


INVENTS = """
class Part(TwoWay):
    older, newer = ("mode",), ("mode", "note")

    def to_newer(self, older: Members) -> Members:
        return {"mode": older["mode"], "note": "new"} if "mode" in older else {}

    def to_older(self, newer: Members) -> Members:
        return {"mode": newer["mode"]} if "mode" in newer else {}
"""


@pytest.mark.parametrize(
    ("older", "newer", "part", "place"),
    [
        (FILLED, f"{TEXT}, {NOTE}", INVENTS, (End, "without_filled")),
        ("it: {type: integer, default: 6}", "it: {type: number}", "", (Side, "is_filled_in")),
    ],
    ids=["a hook", "a pair"],
)
def test_a_default_takes_nothing_away(
    older: str,
    newer: str,
    part: str,
    place: tuple[type, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it stands for was hidden; a server's default in its place would be an edit of nobody."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert laws_that_fail(whole, older, newer, "ThingSpec", part) == set()
    monkeypatch.setattr(*place, lambda *_: ())
    assert laws_that_fail(broken, older, newer, "ThingSpec", part) == {"L12"}


HIDES = """
class Part(TwoWay):
    older, newer = ("mode",), ("mode", "note")

    def to_newer(self, older: Members) -> Members:
        return older

    def to_older(self, newer: Members) -> Members:
        mode = newer.get("mode")
        return {} if mode is None or len(mode) > 3 else {"mode": mode}
"""


@pytest.mark.parametrize("part", [INVENTS, HIDES], ids=["invents", "hides"])
def test_a_default_beyond_the_edge_of_a_hook_takes_nothing_away(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hook's edge, which has no default, learns from a note what was only filled in."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    newer = f"{TEXT}, {NOTE}"
    assert laws_that_fail(whole, TEXT, newer, "ThingSpec", part, oldest=FILLED) == set()
    monkeypatch.setattr(following, "before_defaults", lambda *_: ())
    assert laws_that_fail(broken, TEXT, newer, "ThingSpec", part, oldest=FILLED) == {"L12"}


def test_a_default_that_is_kept_is_one_that_a_server_would_fill_in(tmp_path: Path) -> None:
    """v1 gets back what it had there, and its server would write the same."""
    inner = "box: {type: object, %sproperties: {mode: {type: string%s}}}"
    older, newer = inner % ("", ", default: rwx!"), inner % ("default: {}, ", "")
    assert laws_that_fail(tmp_path, older, newer, "Box", HIDES.replace(', "note")', ",)")) == set()


PARENTS = """
class Part(Completing):
    older = newer = ("spec",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        spec = older.get("spec") or {}
        return {"spec": {**spec, "parts": {"limits": {}, **(spec.get("parts") or {})}}}
"""


def test_parents_that_a_hook_makes_come_and_go(tmp_path: Path) -> None:
    """An edit inside an object that only v1 has, from a hook, gives one to v2."""
    members = "parts: {type: object, properties: {limits: {type: object, properties: {%s}}}}"
    older, newer = members % TEXT, members % f"{TEXT}, {NOTE}"
    assert laws_that_fail(tmp_path, older, newer, "Thing", PARENTS) == set()


REFUSES = """
class Part(TwoWay):
    older = newer = ("mode",)

    def to_newer(self, older: Members) -> Members:
        return older

    def to_older(self, newer: Members) -> Members:
        if newer.get("mode") is not None:
            raise RefusedError("nobody can read it")
        return newer
"""


def test_what_has_no_place_for_its_bag_may_be_refused(tmp_path: Path) -> None:
    """With damaged metadata there is no annotation, and so nothing that makes good a refusal."""
    found = laws_that_fail(tmp_path, TEXT, TEXT, "ThingSpec", REFUSES, claimed="mode")
    assert found == set()


SAME = """
class Part(TwoWay):
    older = newer = ("mode",)

    def to_newer(self, older: Members) -> Members:
        return older

    def to_older(self, newer: Members) -> Members:
        return newer
"""


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("{type: string, minLength: 1}", set()),
        ("{type: array, items: {type: string}}", {"L5"}),
        ("{type: object, properties: {a: {type: string}}}", {"L5"}),
        ("{type: object, additionalProperties: {type: string}}", {"L5"}),
        ("{type: integer}", {"L5"}),
    ],
)
def test_what_a_hook_makes_is_of_the_type_of_its_member(
    other: str, found: set[str], tmp_path: Path
) -> None:
    """It hands on what it gets, whatever the other version says."""
    claimed = "mode" if found else ""
    newer = f"mode: {other}"
    laws = laws_that_fail(tmp_path, TEXT, newer, "ThingSpec", SAME, claimed=claimed)
    assert laws & {"L5"} == found

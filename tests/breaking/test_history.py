"""What releases of real CRDs taught: findings that were false, as small schemas of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.breaking.test_schemas import Edit, after, found, set_to, spec, version

Change = tuple[Edit, Edit]


def both(*edits: Edit) -> Edit:
    """Return several edits as one."""

    def edit(value: dict[str, Any]) -> None:
        for each in edits:
            each(value)

    return edit


def ruled(rule: str) -> Edit:
    """Return the edit that puts a rule on the whole spec."""
    return lambda value: spec(value).update({"x-kubernetes-validations": [{"rule": rule}]})


def names(**said: Any) -> Edit:
    return lambda value: value["spec"]["names"].update(said)


def unserved(index: int) -> Edit:
    return lambda value: version(value, index).update(served=False)


def same(_: dict[str, Any]) -> None:
    """Edit nothing."""


FRESH = set_to("fresh", {"type": "string"})
NEEDED: Edit = lambda value: spec(value).update(required=["name", "mode"])  # noqa: E731

HARMLESS: dict[str, Change] = {
    "a version goes that nobody was served": (
        unserved(0),
        lambda value: value["spec"]["versions"].pop(0),
    ),
    "a property goes from a version that is not served": (
        unserved(0),
        both(unserved(0), set_to("when", None)),
    ),
    "a limit comes to a version that is not served": (
        unserved(0),
        both(unserved(0), set_to("when.maxLength", 3)),
    ),
    "a short name goes that is the plural": (names(shortNames=["boxes", "bx"]), same),
    "a short name goes that is the kind": (names(shortNames=["box", "bx"]), same),
    "the singular is a short name now": (
        names(singular="crate"),
        names(shortNames=["bx", "crate"], singular="box"),
    ),
    "a default for what was required": (NEEDED, both(NEEDED, set_to("mode.default", "fast"))),
    "what was required has a default": (NEEDED, set_to("mode.default", "fast")),
    "nothing is shorter than nothing": (same, set_to("when.minLength", 0)),
    "no list has fewer than no elements": (same, set_to("tags.minItems", 0)),
    "a limit that the enum keeps": (same, set_to("mode.maxLength", 4)),
    "a pattern that the enum keeps": (same, set_to("mode.pattern", "^(fast|slow|[0-9]+)$")),
    "a rule about what is new": (same, both(FRESH, ruled("!has(self.fresh) || self.size > 2"))),
    "a rule that binds two": (same, both(FRESH, ruled("!(has(self.fresh) && has(self.when))"))),
    "a rule that asks a new member first": (
        same,
        both(FRESH, ruled("has(self.fresh) ? self.fresh == 'a' : true")),
    ),
    "a rule about a text that was none": (
        both(NEEDED, set_to("mode.enum", ["fast", "slow"])),
        both(NEEDED, FRESH, ruled("!(!has(self.fresh) && self.mode == 'idle')")),
    ),
    "a rule that asks what was required": (same, ruled("has(self.name) || has(self.when)")),
    "at most one, as generators write it": (
        same,
        both(FRESH, ruled("[has(self.fresh),has(self.when)].filter(x,x==true).size() <= 1")),
    ),
    "exactly one, as generators write it": (
        same,
        both(FRESH, ruled("[has(self.fresh),has(self.name)].filter(x,x==true).size() == 1")),
    ),
    "one or the other": (same, both(FRESH, ruled("has(self.fresh) != has(self.name)"))),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_harms_nobody_is_not_found(what: str, tmp_path: Path) -> None:
    """A change that refuses, hides or alters nothing that was there is no finding."""
    before, now = HARMLESS[what]
    assert _found(tmp_path, before, now) == []


RULES: list[tuple[str, Edit]] = [
    ("!has(self.fresh) || self.size > 2", set_to("fresh", {"type": "string", "default": "x"})),
    ("!has(self.when) || self.size > 2", FRESH),
    ("!has(self.fresh.inner)", FRESH),
    ("has(self.fresh) || has(self.when)", FRESH),
    ("!has(self.fresh) && self.size > 2", FRESH),
    ("self.mode == 'idle'", same),
    ("!(self.mode == 'idle')", same),  # it may be absent, and then the rule fails
    ("self.name != 'idle'", same),
    (r"'it\'s' == 'idle' || true", same),
    ("[has(self.fresh),has(self.when)].filter(x,x==true).size() == 1", FRESH),
    ("[has(self.fresh),has(self.when)].filter(x,x==true).size() >= 1", FRESH),
    ("has(self.fresh) ? true : self.size > 2", FRESH),
    ("!has(self.fresh) || true)", FRESH),
    ("!has(self.fresh", FRESH),
    ("self.size > 2 ? true : true", FRESH),
    ("has(self.when) != has(self.name)", FRESH),
    ("self.tags.all(fresh, !has(self.fresh))", FRESH),
]


@pytest.mark.parametrize(("rule", "edit"), RULES, ids=[rule for rule, _ in RULES])
def test_rules_that_may_refuse(rule: str, edit: Edit, tmp_path: Path) -> None:
    """What does not hold for sure is a finding: with a default, a new member is never absent."""
    rules = [name for name, *_ in _found(tmp_path, same, both(edit, ruled(rule)))]
    assert "rule-added" in rules


MAY_REFUSE: dict[str, tuple[Edit, Edit, str]] = {
    "a limit that the enum breaks": (same, set_to("mode.maxLength", 3), "length-narrowed"),
    "a pattern that the enum breaks": (same, set_to("mode.pattern", "^f"), "pattern-changed"),
    "a pattern that cannot be read": (same, set_to("mode.pattern", "("), "pattern-changed"),
    "a default for what was optional": (same, set_to("mode.default", "fast"), "default-changed"),
    "another default for what is required": (
        both(NEEDED, set_to("mode.default", "fast")),
        both(NEEDED, set_to("mode.default", "slow")),
        "default-changed",
    ),
    "a plural that is a short name now": (
        same,
        names(plural="crates", shortNames=["bx", "boxes"]),
        "name-changed",
    ),
    "a property that is stored where nobody is served": (
        both(unserved(0), lambda value: value.update(status={"storedVersions": ["v1", "v2"]})),
        both(unserved(0), set_to("when", None)),
        "property-removed",
    ),
}


@pytest.mark.parametrize("what", MAY_REFUSE)
def test_what_may_harm_is_found(what: str, tmp_path: Path) -> None:
    """The same changes where they do harm."""
    before, now, rule = MAY_REFUSE[what]
    assert [name for name, *_ in _found(tmp_path, before, now)] == [rule]


def _found(folder: Path, before: Edit, now: Edit) -> list[tuple[str, ...]]:
    """Compare CRDs of two versions, the second stored; both are edited, the first in its schema."""
    states = [after(edit, "v1", "v2") for edit in (before, now)]
    for state in states:
        state["spec"]["conversion"] = {"strategy": "Webhook"}
    return found(folder, *states)

"""Rules in CEL and patterns: what holds, what is broken, and what nobody can tell here."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.kubernetes.conform.rules import (
    NotJudged,
    broken_rules,
    matches,
    patterns_of,
    words_of,
)


def schema(rule: str, **more: Any) -> Any:
    return {"type": "object", "x-kubernetes-validations": [{"rule": rule, **more}]}


@pytest.mark.parametrize(
    ("rule", "value", "holds"),
    [
        ("has(self.a) != has(self.b)", {"a": 1}, True),
        ("has(self.a) != has(self.b)", {"a": 1, "b": 1}, False),
        ("self.least <= self.most", {"least": 2, "most": 1}, False),
        ("self.all(x, self.exists_one(y, x.name == y.name))", [{"name": "a"}] * 2, False),
        ("self.x__dash__y == 1 && self.__namespace__ == 2", {"x-y": 1, "namespace": 2}, True),
        ("self.ratio + 1.5 > 2.0", {"ratio": 1}, True),  # a number is a double, also a whole one
        ("self.name.size() == 2 && self.name.lowerAscii() == 'éa'", {"name": "éA"}, True),
        ("self.?gone.orValue('x') == 'x'", {}, True),
        ("self.gone == 1", {}, False),  # an API server refuses what its rule cannot read
        ("self == oldSelf", {"a": 1}, True),  # a rule of updates alone
    ],
)
def test_rules_are_judged(rule: str, value: Any, holds: bool) -> None:
    """As an API server judges them on create."""
    names = ("a", "b", "least", "most", "x-y", "namespace", "name", "gone")
    properties: Any = {name: {} for name in names}
    own = {**schema(rule), "properties": {**properties, "ratio": {"type": "number"}}}
    assert ([*broken_rules(value, own)] == []) is holds


@pytest.mark.parametrize("rule", ["quantity(self.a) == 1", "self ==", "self.a", "isURL(self.a)"])
def test_what_cannot_be_judged_is_told(rule: str) -> None:
    """Functions that only an API server has, and what is no rule."""
    with pytest.raises(NotJudged, match="the rule `"):
        list(broken_rules({"a": "1"}, schema(rule)))


def test_rules_help_to_draw() -> None:
    """They name texts and patterns."""
    assert words_of(schema("""self.a in ['x', "y"]""")) == ["x", "y"]
    assert patterns_of(schema("self.matches('^a+$')")) == ["^a+$"]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b", "abc", True),
        ("^(0|[1-9][0-9]{0,8})$", "quota-7", False),
        ("^a$", "a\n", False),  # Python's own `$` would accept it
        (r"^\w+$", "é", False),
        (r"^\s$", "\v", False),
        (r"^[\s]$", "\t", True),
        ("^(?i)a|b$", "B", True),  # flags hold in all alternatives that follow
        ("^x(?i)a$", "Xa", False),
        ("^a{,2}$", "a{,2}", True),  # a repeat without a least number is text
        ("^[[:digit:]-]+$", "1-2", True),
        ("^[a&&b]$", "&", True),
        (r"^\Qa+\E$", "a+", True),
        (r"^\p{Greek}(?m)$", "ω\n", True),
        ("(?U)^a+$", "aa", True),
        ("^a\x00é$", "a\x00é", True),
    ],
)
def test_patterns_mean_what_go_means(pattern: str, text: str, found: bool) -> None:
    """Where Go and Python differ, Go counts."""
    assert matches(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(?=a)", "a(", r"\u0061", "((a{100}){100}){100}"])
def test_patterns_that_go_does_not_know_are_told(pattern: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(NotJudged, match="the pattern '"):
        matches(pattern, "a")


@pytest.mark.parametrize("pattern", ["^([a-z0-9]+-?)+$", "^(a|a)*$", "^(a*)*$", "(?i)^(A+)+$"])
def test_no_text_takes_a_pattern_years(pattern: str) -> None:
    """Python doubles its time with each letter."""
    assert not matches(pattern, "a" * 5000 + "!")
    assert matches(pattern, "a" * 5000)

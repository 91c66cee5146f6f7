"""The search for phrases to avoid finds whole phrases in prose, and nothing in code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.prose import Rule, Text, findings, module_texts, rules

RULE = Rule.of(["is no", "anew"], "is not a", ["there is no", "is no longer"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("this is no list", ["is no"]),
        ("this is\n    no list, and begins anew", ["is no", "anew"]),
        ("There is no list.", []),
        ("it is no longer a list, but is no map", ["is no"]),
        ("this is not one; is nothing", []),
        ("renewal", []),
    ],
)
def test_phrases_are_found(text: str, found: list[str]) -> None:
    """Whatever blanks are between their words; not within longer phrases that are fine."""
    lines = findings(iter([Text("page.md", 1, text)]), [RULE])
    assert [line.split('"')[1] for line in lines] == found


def test_a_finding_names_its_line_and_what_to_write() -> None:
    """The line is that of the phrase, not of the text."""
    lines = [*findings(iter([Text("page.md", 3, "one\ntwo anew")]), [RULE])]
    assert lines == ['page.md:4: "anew": is not a']


def test_of_modules_texts_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And comments; names and code spans do not count."""
    monkeypatch.setattr("tests.support.prose.name_of", lambda place: place.name)
    module = tmp_path / "module.py"
    module.write_text('"""Begin anew, not `anew`."""\n# anew, again anew\nanew = f"{1} anew"\n')
    lines = [*findings(module_texts(module), [RULE])]
    places = [line.partition(": ")[0] for line in lines]
    assert places == ["module.py:1", "module.py:3", "module.py:2", "module.py:2"]


def test_the_list_is_that_of_contributing() -> None:
    """Every row of the table is a rule."""
    (text,) = [Text("x", 1, "the fix stands in a file")]
    assert len(rules()) > 10
    assert len([*findings(iter([text]), rules())]) == 1

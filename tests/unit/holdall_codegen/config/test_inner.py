"""The key `inner_documents`: what is read, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.errors import SourceError
from holdall.inner.declared import InnerDocuments
from holdall_codegen.config.reader import read_config

CONFIG = """\
groups:
  things:
    sources:
      - {schemas: a.yaml, version: v1}
      - {schemas: b.yaml, version: v2}
    versions: [v1, v2]
    inner_documents:
"""


def read(tmp_path: Path, entry: str) -> InnerDocuments:
    path = tmp_path / "holdall.yaml"
    path.write_text(f"{CONFIG}      - {entry}\n")
    return read_config(path).groups[0].inner[0].declared


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        (
            "{in: [Pool], annotation: a.example.com/b}",
            InnerDocuments(
                ("Pool",), ("metadata", "annotations", "a.example.com/b"), "yaml-stream"
            ),
        ),
        (
            "{in: [Pool, v1/Service], path: spec/a~1b, format: json, versions: {v1: v2},"
            " folded: true, aliases: [old]}",
            InnerDocuments(
                ("Pool", "v1/Service"), ("spec", "a/b"), "json", {"v1": "v2"}, True, ("old",)
            ),
        ),
    ],
)
def test_what_is_read(tmp_path: Path, entry: str, found: InnerDocuments) -> None:
    assert read(tmp_path, entry) == found


@pytest.mark.parametrize(
    ("entry", "code", "said"),
    [
        ("{annotation: a}", "HA122", "an entry of inner_documents has no in"),
        ("{in: [Pool]}", "HA122", "has neither annotation nor path"),
        ("{in: [Pool], annotation: a, path: b}", "HA125", "has both annotation and path"),
        ("{in: [], path: b}", "HA123", "in is empty"),
        ("{in: [Pool, Pool], path: b}", "HA126", "Pool is listed twice"),
        ("{in: [a/b/c/d], path: b}", "HA124", 'a holder "a/b/c/d" is not the name of a kind'),
        ("{in: [Pool], path: /b}", "HA124", 'path "/b"'),
        ('{in: [Pool], annotation: "a b"}', "HA124", 'annotation "a b"'),
        ("{in: [Pool], path: b, format: yaml}", "HA123", 'format cannot be "yaml"'),
        ("{in: [Pool], path: b, versions: {v1: v3}}", "HA127", "v3"),
        ("{in: [Pool], path: b, versions: {v3: v1}}", "HA127", "v3"),
        (
            "{in: [v1/Service], path: b, versions: {v1: v2}}",
            "HA131",
            "none of these is a kind of it",
        ),
        ("{in: [Pool], path: b, folded: 1}", "HA123", "folded must be true or false"),
        ("{in: [Pool], path: b, foldet: true}", "HA121", "did you mean"),
    ],
)
def test_mistakes(tmp_path: Path, entry: str, code: str, said: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(tmp_path, entry)
    [problem] = caught.value.problems
    assert (problem.code, said in problem.message) == (code, True), problem
    assert problem.where.startswith("holdall.yaml:8")

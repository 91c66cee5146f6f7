"""Values that no schema expects, but stored objects hold: kept, or refused with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdall.scheme import Scheme
from tests.laws.projects import STRING, Specimen, built_specimen, many, mapped, ref


def there_and_back(scheme: Scheme, document: Any, to: str) -> Any:
    """Return what a document becomes and what it is when it comes back, the same on both ways."""
    start = document["apiVersion"]
    there = scheme.convert(document, to=to)
    back = scheme.convert(there, to=start)
    assert scheme.convert(scheme.convert(back, to=to), to=start) == back
    return there, back


def test_a_map_is_not_taken_out_of_its_list_as_something_else(tmp_path: Path) -> None:
    """Where maps are wrapped, a list of another kind is a misfit and comes back."""
    nested = mapped(mapped(STRING))
    specimen = Specimen(
        {
            "v1": {
                "Thing": {
                    "a": mapped(STRING),
                    "b": many(nested),
                    "c": many(mapped(STRING)),
                    "d": mapped(ref("R")),
                },
                "R": {"id": STRING},
            },
            "v2": {
                "Thing": {
                    "a": many(mapped(STRING)),
                    "b": nested,
                    "c": mapped(STRING),
                    "d": many(mapped(STRING)),
                }
            },
        },
        {
            "v1 -> v2": {
                "Thing": {
                    **{name: {"wrap": True} for name in "abc"},
                    "d": {"wrap": True, "reference": "id"},
                }
            }
        },
    )
    with built_specimen(specimen, tmp_path) as group:
        for wrong in (5, "x", ["y"], True):
            newer = {"apiVersion": "v2", "kind": "Thing", "a": [wrong], "d": [wrong]}
            older = {"apiVersion": "v1", "kind": "Thing", "b": [wrong], "c": [wrong, {}]}
            for document, to in ((newer, "v1"), (older, "v2")):
                there, back = there_and_back(group.scheme, document, to)
                assert back == document
                assert there.keys().isdisjoint("abcd")
        fine = {"apiVersion": "v2", "kind": "Thing", "a": [{"k": 5}]}
        assert there_and_back(group.scheme, fine, "v1")[0]["a"] == {"k": 5}

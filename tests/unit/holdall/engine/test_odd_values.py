"""Values that no schema expects, but stored objects hold: kept, or refused with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from holdall.text.json import same
from tests.laws.projects import INTEGER, STRING, Specimen, built_specimen, many, mapped, ref
from tests.support.objects import resource


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
    group = built_specimen(specimen, tmp_path)
    for wrong in (5, "x", ["y"], True):
        newer = {"apiVersion": "v2", "kind": "Thing", "a": [wrong], "d": [wrong]}
        older: dict[str, Any] = resource("v1", "Thing", b=[wrong], c=[wrong, {}])
        for document, to in ((newer, "v1"), (older, "v2")):
            there, back = there_and_back(group.scheme, document, to)
            assert back == document
            assert there.keys().isdisjoint("abcd")
    fine = {"apiVersion": "v2", "kind": "Thing", "a": [{"k": 5}]}
    assert there_and_back(group.scheme, fine, "v1")[0]["a"] == {"k": 5}


INT32 = {**INTEGER, "format": "int32"}
DEFAULTED = Specimen(
    {
        "v1": {"Thing": {"old": many(INT32)}},
        "v2": {"Thing": {"size": INT32, "text": STRING, "all": mapped(many(INT32))}},
    },
    {
        "v1 -> v2": {
            "Thing": {
                "old": {"default": [1]},
                "size": {"default": 1},
                "text": {"default": "x"},
                "all": {"default": {}},
            }
        }
    },
)


@pytest.mark.parametrize("odd", ["x", 2**31, 2**70, 1.5, 1.0, True, 5, {"a": [1]}, [None], ""])
def test_a_default_does_not_check_what_was_there(tmp_path: Path, odd: Any) -> None:
    """Scalars are not checked on the way, with a default or without one."""
    group = built_specimen(DEFAULTED, tmp_path)
    newer = {"size": odd, "text": odd, "all": {"a": [odd, 1], "b": odd}}
    for version, members, to in (("v2", newer, "v1"), ("v1", {"old": [odd, None]}, "v2")):
        document = {"apiVersion": version, "kind": "Thing", **members}
        there, back = there_and_back(group.scheme, document, to)
        assert same(back, document)
        assert same(group.scheme.convert(there | {"x": 1}, to=version), back | {"x": 1})

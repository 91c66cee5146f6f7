"""Reviews over HTTP restore hidden data to the list element that it belongs to, or say so."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.projects import build_project
from tests.support.reviews import body_of, converted
from tests.support.serving import serving
from tests.unit.holdall.carriers.test_matching import CONFIG, FILES, route
from tests.unit.holdall.engine import test_uncertain as kept_lists

Edit = Callable[[list[Any]], list[Any]]


def defaulted(items: list[Any]) -> list[Any]:
    return [{**item, "mode": "rw"} for item in items]


def in_place(at: int) -> Edit:
    return lambda now: [*now[:at], {**now[at], "host": "x"}, *now[at + 1 :]]


EDITS: list[tuple[str, Edit, list[tuple[str, str | None]], int]] = [
    ("ab", lambda now: [now[1], {"host": "new"}], [("b", "S1"), ("new", None)], 1),
    ("aa", in_place(1), [("a", "S0"), ("x", "S1")], 0),
    ("ab", lambda now: defaulted(now[::-1]), [("b", "S1"), ("a", "S0")], 0),
    ("abc", lambda now: defaulted(now[:2]), [("a", "S0"), ("b", "S1")], 1),
    ("ab", lambda now: [*now, now[0]], [("a", "S0"), ("b", "S1"), ("a", None)], 0),
    (
        "ab",
        lambda now: [*in_place(0)(now), {"host": "n"}],
        [("x", "S0"), ("b", "S1"), ("n", None)],
        0,
    ),
]


def test_hidden_data_stays_with_its_element(tmp_path: Path) -> None:
    """All edits in one review, as a LIST of objects that several clients wrote."""
    project = build_project(tmp_path / "project", CONFIG, FILES)
    given = [
        route("v1", "items", [{"host": host, "secret": f"S{at}"} for at, host in enumerate(hosts)])
        for hosts, *_ in EDITS
    ]
    with serving(project, tmp_path / "certificates") as served:

        def review(objects: list[Any], to: str) -> list[Any]:
            body = body_of(objects, f"shop.example.com/{to}")
            status, reply = served.ask("POST", "/convert", body)
            assert status == 200
            return converted(reply)

        edited = copy.deepcopy(review(given, "v2"))
        for document, (_, edit, _, _) in zip(edited, EDITS, strict=True):
            document["spec"]["items"] = edit(document["spec"]["items"])
        found = review(edited, "v1")
        shown = [
            [(item["host"], item.get("secret")) for item in document["spec"]["items"]]
            for document in found
        ]
        assert shown == [expected for _, _, expected, _ in EDITS]
        # What lost its owner is counted, and in the log.
        metrics = served.ask("GET", "/metrics")[1].decode()
        total = sum(count for *_, count in EDITS)
        assert f"holdall_webhook_dropped_entries_total {total}.0" in metrics
        assert json.dumps(served.logged()).count("lost its owner") == total


def test_what_a_kept_list_loses_is_counted(tmp_path: Path) -> None:
    """An edit and an insertion in one write: nobody can tell which element was edited."""
    project = build_project(tmp_path / "project", kept_lists.CONFIG, kept_lists.FILES)
    with serving(project, tmp_path / "certificates") as served:

        def review(document: Any, to: str) -> Any:
            body = body_of([document], f"shop.example.com/{to}")
            status, reply = served.ask("POST", "/convert", body)
            assert status == 200
            return converted(reply)[0]

        edited = review(kept_lists.route({"rules": kept_lists.RULES}), "v1")
        edited["spec"]["rules"][1:2] = ["x", "y"]
        assert review(edited, "v3")["spec"] == {"rules": [["a", "1"], ["x"], ["y"], ["c"]]}
        metrics = served.ask("GET", "/metrics")[1].decode()
        assert "holdall_webhook_dropped_entries_total 1.0" in metrics
        assert json.dumps(served.logged()).count("an element of it lost its owner") == 1

"""Elements that a two-way hook does not show come back beside edits, or that is reported."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from tests.support.notation import schema_text
from tests.support.projects import build_project, config_of, scheme_of
from tests.support.work import steps_of

PART = (
    "{size: integer, name: string, note: string, tag: {$: string, $default: d},"
    " marks: [{text: string, tone: string, tag: {$: string, $default: d}}]}"
)
PORT = (
    "{port: integer, type: {$: string, $default: TCP}, name: string, size: integer, note: string}"
)
PORTS = f"$: [{PORT}], $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port, type]"
SCHEMA = (
    f"{{parts: [{PART}], ranks: [{PART}], loud: [{PART}], box: {{tags: [string]}}, each: [string],"
    f" ports: {{{PORTS}}}, queue: [{PART}], line: [{PART}],"
    f" left: [{PART}], right: [{PART}], nests: [{PART}]}}"
)
FILES = {
    **dict.fromkeys(
        ("v1.yaml", "v2.yaml", "v3.yaml"),
        schema_text(SCHEMA),
    ),
    "hooks/things.py": '''
from {generated}.things.v1.storage import AssignableThing
from holdall import Composed, EachValue, Members, TwoWay


class Parts(TwoWay):
    """What has no size is not shown; a note is shown where there is nothing else to show."""

    older = newer = ("parts",)

    def to_newer(self, older: Members) -> Members:
        if not older.get("parts"):
            return older
        shown = [part for part in older["parts"] if part is None or part.get("size") != 0]
        for part in shown:
            if part is not None and len(shown) > 1:
                part.pop("note", None)
        return {"parts": shown}

    def to_older(self, newer: Members) -> Members:
        return newer


class Tags(TwoWay):
    """Tags that begin with a dot are not shown."""

    older = newer = ("box",)

    def to_newer(self, older: Members) -> Members:
        tags = (older.get("box") or {}).get("tags")
        if tags:
            older["box"]["tags"] = [tag for tag in tags if not tag.startswith(".")]
        return older

    def to_older(self, newer: Members) -> Members:
        return newer


class Loud(TwoWay):
    """A note is shown in small letters."""

    older = newer = ("loud",)

    def to_newer(self, older: Members) -> Members:
        for one in older.get("loud") or []:
            one["note"] = one["note"].lower()
        return older

    def to_older(self, newer: Members) -> Members:
        return newer


class Ranks(TwoWay):
    """They are sorted by name, and show no note, and no tone of their marks."""

    older = newer = ("ranks",)

    def to_newer(self, older: Members) -> Members:
        ranks = [{**rank, "note": None} for rank in older.get("ranks") or []]
        for rank in ranks:
            del rank["note"]
            for mark in rank.get("marks") or []:
                mark.pop("tone", None)
        return {"ranks": sorted(ranks, key=lambda rank: rank["name"])} if older else {}

    def to_older(self, newer: Members) -> Members:
        return newer


class Ports(TwoWay):
    """What has no size is not shown, and no note is."""

    older = newer = ("ports",)

    def to_newer(self, older: Members) -> Members:
        shown = [dict(port) for port in older.get("ports") or [] if port.get("size") != 0]
        for port in shown:
            port.pop("note", None)
        return {"ports": shown} if older else {}

    def to_older(self, newer: Members) -> Members:
        return newer


class Sides(TwoWay):
    """Two lists, of which what has no size is not shown, and no note is."""

    older = newer = ("left", "right")

    def to_newer(self, older: Members) -> Members:
        return {
            name: side and [
                {key: one for key, one in part.items() if key != "note"}
                for part in side
                if part.get("size") != 0
            ]
            for name, side in older.items()
        }

    def to_older(self, newer: Members) -> Members:
        return newer


class Nests(TwoWay):
    """What has no size is not shown, nor are marks with a dot as their tone, nor any tone."""

    older = newer = ("nests",)

    def to_newer(self, older: Members) -> Members:
        shown = [nest for nest in older.get("nests") or [] if nest.get("size") != 0]
        for nest in shown:
            if "marks" in nest:
                marks = [mark for mark in nest["marks"] if mark.pop("tone", None) != "."]
                nest["marks"] = marks
        return {"nests": shown} if older else {}

    def to_older(self, newer: Members) -> Members:
        return newer


class Queue(TwoWay):
    """What has no size is not shown, the rest sorted."""

    older = newer = ("queue",)

    def to_newer(self, older: Members) -> Members:
        shown = [part for part in older.get("queue") or [] if part.get("size") != 0]
        return {"queue": sorted(shown, key=lambda part: part["name"])} if older else {}

    def to_older(self, newer: Members) -> Members:
        return newer


class Line(TwoWay):
    """The older version does not show what has no size, and the newer one sorts."""

    older = newer = ("line",)

    def to_newer(self, older: Members) -> Members:
        line = older.get("line") or []
        return {"line": sorted(line, key=lambda part: part["name"])} if older else {}

    def to_older(self, newer: Members) -> Members:
        line = newer.get("line") or []
        return {"line": [part for part in line if part.get("size") != 0]} if newer else {}


def without_dots(tags: object) -> object:
    return [tag for tag in tags if tag[:1] != "."] if isinstance(tags, list) else tags


class Hook(Composed, AssignableThing):
    parts = (
        *(Parts(), Tags(), Ranks(), Loud(), Ports(), Queue(), Line(), Sides(), Nests()),
        EachValue("each", without_dots, lambda tags: tags),
    )
''',
}
CONFIG = config_of("Thing", "v1 v2 v3")
LOST = "is dropped: an element of it lost its owner: no element of the list is certainly the same"


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    return scheme_of(build_project(tmp_path_factory.mktemp("kept"), CONFIG, FILES))


def thing(version: str, **members: Any) -> Any:
    return {"apiVersion": version, "kind": "Thing", **members}


def back(scheme: Scheme, older: Any, edited: Any, version: str = "v2") -> tuple[Any, list[str]]:
    """Return members of v1 after an edit of those of another version, and what was reported."""
    report: list[Any] = []
    there = scheme.convert(thing("v1", **older), to=version)
    carried = {name: there[name] for name in there.keys() & {"$propertyBag"}}
    document = thing(version, **edited, **carried)
    made: Any = scheme.convert(document, to="v1", report=report)
    again = scheme.convert(made, to=version)
    for name in ("parts", "box", "ranks", "each", "ports", "queue"):
        assert again.get(name) == edited.get(name)  # the live value wins
    return made, [str(one) for one in report]


def parts(text: str) -> list[Any]:
    """Return parts: `2a!` has size 2, name a and a note, `-` is null."""
    return [
        None
        if word == "-"
        else {
            "size": int(word[0]),
            **({"name": word[1]} if word[1:].strip("!") else {}),
            **({"note": "n"} if word.endswith("!") else {}),
        }
        for word in text.split()
    ]


@pytest.mark.parametrize("version", ["v2", "v3"])
@pytest.mark.parametrize(
    ("older", "edited", "expected", "lost"),
    [
        pytest.param("1 0 2", "1 2", "1 0 2", 0, id="nothing"),
        pytest.param("1 0 2", "2", "0 2", 0, id="deleted"),
        pytest.param("1 0 2", "1 2 3", "1 0 2 3", 0, id="appended"),
        pytest.param("1 0 2", "3 1 2", "3 1 0 2", 0, id="inserted"),
        pytest.param("1 0 2", "7 2", "7 0 2", 0, id="edited"),
        pytest.param("1 0 2", "2 1", "2 1 0", 0, id="moved"),
        pytest.param("0 1 2", "1 3 2", "0 1 3 2", 0, id="not shown in front"),
        pytest.param("0a 1 0b 2 0c", "2", "0a 0b 2 0c", 0, id="several"),
        pytest.param("1 0 2", "5 6 7", "0 5 6 7", 0, id="replaced"),
        pytest.param("1 0 2", "", "0", 0, id="all deleted"),
        pytest.param("0 0", "3", "0 0 3", 0, id="nothing was shown"),
        pytest.param("1 0 - 2", "- 2", "0 - 2", 0, id="null"),
        pytest.param("1a! 0 2b", "1a 2b 3c", "1a! 0 2b 3c", 0, id="with more than is shown"),
        pytest.param("1a! 0 2b", "5a 2b", "5a! 0 2b", 0, id="named"),
        pytest.param("1! 0 2", "7 8 9", "0 7 8 9", 1, id="nobody can tell"),
        pytest.param("1! 0 2", "2", "0 2", 0, id="with more, deleted"),
        pytest.param("1! 2b", "5 2b", "5 2b", 1, id="kept element by element"),
        pytest.param("1a! 2b", "5a 2b", "5a! 2b", 0, id="that of a name"),
        pytest.param("1a! 2b", "3c 2b 5a", "3c 2b 5a!", 0, id="that of a name, moved"),
        pytest.param("1a! 2b", "5c 2b", "5c 2b", 1, id="another name"),
        pytest.param("1a! 2b", "5a 6a 2b", "5a 6a 2b", 1, id="two of that name"),
        pytest.param("1a! 2a", "5a 2a", "5a 2a", 1, id="two had the name"),
        pytest.param("1a! 2a", "2a", "2a", 1, id="two had the name, one is deleted"),
    ],
)
def test_what_is_not_shown_comes_back_beside_edits(
    older: str, edited: str, expected: str, lost: int, version: str, scheme: Scheme
) -> None:
    made, report = back(scheme, {"parts": parts(older)}, {"parts": parts(edited)}, version)
    assert made["parts"] == parts(expected)
    assert [LOST in text for text in report] == [True] * lost


def test_a_list_inside_an_object_does_so_too(scheme: Scheme) -> None:
    older = {"box": {"tags": ["a", ".b", "c"]}}
    assert back(scheme, older, {"box": {"tags": ["c", "d"]}})[0]["box"] == {
        "tags": [".b", "c", "d"]
    }
    edits: list[Any] = [{}, {"box": None}, {"box": {}}, {"box": {"tags": None}}]
    for edited in edits:
        made, report = back(scheme, older, edited)
        assert (made.get("box"), report) == (edited.get("box"), [])


def test_a_value_that_is_a_list_does_so_too(scheme: Scheme) -> None:
    made, report = back(scheme, {"each": ["a", ".b", "c"]}, {"each": ["d", "c"]})
    assert (made["each"], report) == (["d", ".b", "c"], [])


def test_a_member_that_is_shown_otherwise_stays_beside_edits_of_others(scheme: Scheme) -> None:
    older = [{"size": 1, "name": "a", "note": "AB"}, {"size": 2, "name": "b", "note": "CD"}]
    edited = [{"size": 7, "name": "a", "note": "ab"}, {"size": 2, "name": "b", "note": "new"}]
    made, report = back(scheme, {"loud": older}, {"loud": edited})
    assert made["loud"] == [{"size": 7, "name": "a", "note": "AB"}, edited[1]]
    assert report == []


@pytest.mark.parametrize(
    ("edited", "expected", "lost"),
    [
        pytest.param("1a 2b 3c", "3c! 1a! 2b", 0, id="nothing"),
        pytest.param("2b 3c", "3c! 2b", 1, id="one that a note belongs to is gone"),
        pytest.param("1a 3c", "3c! 1a!", 0, id="one without a note is gone"),
        pytest.param("1a 9b 3c", "3c! 1a! 9b", 0, id="one is edited"),
        pytest.param("1a 2b 3c 4d", "3c! 1a! 2b 4d", 0, id="one is appended"),
        pytest.param("4A 1a 2b 3c", "3c! 1a! 2b 4A", 0, id="one is inserted"),
        pytest.param("4A 1a 3c", "3c! 1a! 4A", 0, id="one is inserted, one is gone"),
        pytest.param("4d 1a 2b 3c", "4d 1a! 2b 3c!", 0, id="one is put in front"),
        pytest.param("9a 8b 7c", "7c! 9a! 8b", 0, id="all are edited"),
        pytest.param("9d 8e 7f", "9d 8e 7f", 2, id="all are replaced"),
    ],
)
def test_elements_that_changed_places_keep_what_they_hide_and_their_order(
    edited: str, expected: str, lost: int, scheme: Scheme
) -> None:
    """Unless the live order could not come from that one."""
    made, report = back(scheme, {"ranks": parts("3c! 1a! 2b")}, {"ranks": parts(edited)})
    assert made["ranks"] == parts(expected)
    assert [LOST in text for text in report] == [True] * lost


@pytest.mark.parametrize("version", ["v2", "v3"])
@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        pytest.param("1a 2b", "1a 0d 2b 0c", id="nothing"),
        pytest.param("2b 1a", "2b 0c 1a 0d", id="moved"),
        pytest.param("2b 1a 3c", "2b 0c 1a 0d 3c", id="moved and appended"),
        pytest.param("3c 1a 2b", "3c 1a 0d 2b 0c", id="one is put in front"),
        pytest.param("2b 7a", "2b 0c 7a 0d", id="moved and edited"),
    ],
)
def test_what_is_not_shown_comes_back_where_the_order_of_an_edit_does_not(
    edited: str, expected: str, version: str, scheme: Scheme
) -> None:
    """The hook would sort again what the client has put in another order."""
    older = {"queue": parts("1a 0d 2b 0c")}
    made, report = back(scheme, older, {"queue": parts(edited)}, version)
    assert (made["queue"], report) == (parts(expected), [])


def test_nor_does_it_depend_on_the_order_in_which_the_list_was_kept(scheme: Scheme) -> None:
    newer: Any = thing("v2", line=parts("2c 3d 0e 1b"))
    older: Any = scheme.convert(newer, to="v1")
    assert older["line"] == parts("2c 3d 1b")
    older["line"] = parts("1b 3d 2c")
    report: list[Any] = []
    made: Any = scheme.convert(older, to="v2", report=report)
    assert (made["line"], report) == (parts("1b 2c 3d 0e"), [])
    assert scheme.convert(made, to="v1")["line"] == older["line"]


@pytest.mark.parametrize("edited", [{}, {"size": 7}])
def test_an_element_among_those_that_changed_places_keeps_what_is_inside(
    edited: Any, scheme: Scheme
) -> None:
    """It is where it was, and shows all that it has but for a part of the objects in a list."""
    first, second, third = parts("1b! 2a 3c")
    third["marks"] = [{"text": "x", "tone": "y"}, {"text": "z", "tone": "w"}]
    document: Any = scheme.convert(thing("v1", ranks=[first, second, third]), to="v2")
    document["ranks"][2] |= edited
    report: list[Any] = []
    made = scheme.convert(document, to="v1", report=report)
    assert (made["ranks"], report) == ([first, second, third | edited], [])


@pytest.mark.parametrize("hidden", [[], [{"text": "z", "tone": "."}]])
def test_what_is_not_shown_stays_where_something_in_a_list_inside_is_edited(
    hidden: list[Any], scheme: Scheme
) -> None:
    """The elements around that list show no more of it than the list does."""
    marks = [*hidden, {"text": "x", "tone": "y"}, {"text": "w"}]
    older = [{"size": 0}, {"size": 1, "marks": marks}, {"size": 2}]
    document: Any = scheme.convert(thing("v1", nests=older), to="v2")
    assert document["nests"] == [{"size": 1, "marks": [{"text": "x"}, {"text": "w"}]}, {"size": 2}]
    document["nests"][0]["marks"][1]["text"] = "new"
    report: list[Any] = []
    made: Any = scheme.convert(document, to="v1", report=report)
    edited = {"size": 1, "marks": [*marks[:-1], {"text": "new"}]}
    assert (made["nests"], report) == ([older[0], edited, older[2]], [])


@pytest.mark.parametrize(
    ("edited", "expected", "lost"),
    [
        pytest.param("1 2 3", "1! 2! 3!", 0, id="nothing"),
        pytest.param("7 2 3", "7 2! 3!", 1, id="edited"),
        pytest.param("2 3", "2! 3!", 1, id="deleted"),
        pytest.param("3 2 1", "3! 2! 1!", 0, id="moved"),
        pytest.param("1 7 2 3", "1! 7 2! 3!", 0, id="inserted"),
        pytest.param("3 7 1", "3! 7 1!", 1, id="edited and moved"),
    ],
)
def test_what_a_server_fills_in_beside_an_edit_hides_nothing(
    edited: str, expected: str, lost: int, scheme: Scheme
) -> None:
    live = [{**part, "tag": "d"} for part in parts(edited)]
    made, report = back(scheme, {"parts": parts("1! 2! 3!")}, {"parts": live})
    for part in made["parts"]:
        if part["size"] == 7:
            part.pop("tag", None)  # a client may have written it, or the server
    assert made["parts"] == parts(expected)
    assert [LOST in text for text in report] == [True] * lost


def test_what_is_hidden_does_not_go_to_another_list_where_a_default_differs(
    scheme: Scheme,
) -> None:
    hiding, bare = {"text": "x", "tone": "y", "tag": "d"}, {"text": "x"}
    older = [{"name": "a", "marks": [hiding]}, {"name": "b", "marks": [bare]}]
    document: Any = scheme.convert(thing("v1", ranks=older), to="v2")
    document["ranks"][0]["marks"] = []
    made: Any = scheme.convert(document, to="v1")
    assert made["ranks"] == [{"name": "a", "marks": []}, older[1]]


def ports(text: str) -> list[Any]:
    """Return ports: `1/UDP=4a!` has the keys 1 and UDP, size 4, name a and a note."""
    made = []
    for word in text.split():
        keys, _, rest = word.partition("=")
        port, _, type_ = keys.partition("/")
        (part,) = parts(rest)
        made.append({"port": int(port), **({"type": type_} if type_ else {}), **part})
    return made


@pytest.mark.parametrize(
    ("older", "edited", "expected", "lost"),
    [
        pytest.param("1=4a! 2=4b", "1=5a 2=4b", "1=5a! 2=4b", 0, id="edited"),
        pytest.param("1=4a! 2=4b!", "2=5c 1=5d", "2=5c! 1=5d!", 0, id="renamed and moved"),
        pytest.param("1=4a! 2=4b", "3=4a 2=4b", "3=4a 2=4b", 1, id="another key"),
        pytest.param("1=4a! 2=4b!", "2=4a 1=4b", "2=4a! 1=4b!", 0, id="keys exchanged"),
        pytest.param("1=4a! 2=4b", "1/TCP=5a 2=4b", "1/TCP=5a! 2=4b", 0, id="a default"),
        pytest.param("1=4! 1/UDP=4!", "1/UDP=5 1=6", "1/UDP=5! 1=6!", 0, id="two keys"),
        pytest.param(
            "1=4! 9=0 2=4!", "1=5 2=4", "1=5! 9=0 2=4!", 0, id="edited beside a hidden one"
        ),
        pytest.param("1=4! 9=0 2=4!", "3=4 2=4", "3=4 9=0 2=4!", 1, id="another key beside one"),
        pytest.param(
            "1=4a! 9=0 2=4", "3=4a 2=4", "3=4a 9=0 2=4", 1, id="another key, the same name"
        ),
    ],
)
def test_in_lists_with_keys_these_alone_tell_what_an_element_hides(
    older: str, edited: str, expected: str, lost: int, scheme: Scheme
) -> None:
    made, report = back(scheme, {"ports": ports(older)}, {"ports": ports(edited)})
    assert made["ports"] == ports(expected)
    assert [LOST in text for text in report] == [True] * lost


@pytest.mark.parametrize("ways", [("v2",), ("v3",), ("v2", "v3")])
def test_a_loss_is_reported_each_time(ways: tuple[str, ...], scheme: Scheme) -> None:
    """Results that come again are remembered, but for those that say more than what they are."""
    for _ in range(3):
        document: Any = thing("v1", parts=parts("1! 2!"))
        for version in ways:
            document = scheme.convert(document, to=version)
        document["parts"][0]["size"] = 7
        report: list[Any] = []
        for version in (*reversed(ways[:-1]), "v1"):
            document = scheme.convert(document, to=version, report=report)
        assert [str(one) for one in report] == [f"/: v1/residue:parts {LOST}"]


@pytest.mark.parametrize("member", ["parts", "loud"])
def test_many_elements_cost_each_the_same(member: str, scheme: Scheme) -> None:
    """Half of them are not shown, or all with another note; each that is shown was edited."""

    def work(count: int) -> int:
        older = [
            {"size": at % 2, "name": f"{count} {at}", "note": "n" if member == "parts" else "N"}
            for at in range(count)
        ]
        document: Any = scheme.convert(thing("v1", **{member: older}), to="v2")
        for part in document[member]:
            part["size"] += 7
        return steps_of(lambda: scheme.convert(document, to="v1"))

    assert work(2000) < 11 * work(200)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_vanishes_without_a_word(seed: int, scheme: Scheme) -> None:
    """All that was not shown is there, in its order, and so is all that was edited."""
    random = Random(seed)
    names = random.choice(["abcdef", "aab", ""])
    older = [
        {"size": random.choice([0, 1, 2, 3]), **({"name": random.choice(names)} if names else {})}
        for _ in range(random.randint(1, 6))
    ]
    shown = [part for part in older if part["size"]]
    edited = [dict(part) for part in random.sample(shown, random.randint(0, len(shown)))]
    for part in edited:
        if not random.randrange(3):
            part["size"] = random.randint(1, 9)
    for _ in range(random.randrange(3)):
        edited.insert(random.randint(0, len(edited)), {"size": random.randint(1, 9)})
    made, report = back(scheme, {"parts": older}, {"parts": edited})
    assert [part for part in made["parts"] if part["size"]] == edited
    assert [part for part in made["parts"] if not part["size"]] == [
        part for part in older if not part["size"]
    ]
    assert report == []


HALVES = """
from {generated}.things.v1.storage import AssignableThing
from holdall import Composed, Members, TwoWay


class Halves(TwoWay):
    \"""Two lists are shown as one, without what has no size; a list that is empty is left out.\"""

    older, newer = ("small", "big"), ("parts",)

    def to_newer(self, older: Members) -> Members:
        parts = [dict(one) for name in ("small", "big") for one in older.get(name) or []]
        for one in parts:
            one.pop("note", None)
        return {"parts": [one for one in parts if one["size"]]} if older else {}

    def to_older(self, newer: Members) -> Members:
        halves: Members = {"small": [], "big": []}
        for one in newer.get("parts") or []:
            halves["small" if one["size"] < 5 else "big"].append(one)
        return {name: half for name, half in halves.items() if half}


class Hook(Composed, AssignableThing):
    parts = (Halves(),)
"""


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    part = "[{size: integer, name: string, note: string}]"
    files = {
        "v1.yaml": schema_text(f"{{small: {part}, big: {part}}}"),
        "v2.yaml": schema_text(f"{{parts: {part}}}"),
        "hooks/things.py": HALVES,
    }
    return scheme_of(build_project(tmp_path_factory.mktemp("halves"), config_of("Thing"), files))


@pytest.mark.parametrize(
    ("older", "edited", "expected"),
    [
        pytest.param(("1a! 0b", "9c! 0d"), "1a 9c", ("1a! 0b", "9c! 0d"), id="nothing"),
        pytest.param(("1a! 0b", "9c! 0d"), "9c", ("0b", "9c! 0d"), id="one is emptied"),
        pytest.param(("1a! 0b", "9c!"), "1a", ("1a! 0b", None), id="the one without any"),
        pytest.param(("1a! 0b", "9c! 0d"), "8c 9e", ("0b", "8c! 0d 9e"), id="and one is edited"),
        pytest.param(("1a! 0b", "9c! 0d"), "", ("0b", "0d"), id="both are emptied"),
        pytest.param(("0b", "9c"), "1a 9c", ("0b 1a", "9c"), id="nothing of it was shown"),
        pytest.param(("0b", "0d"), "1a", ("0b 1a", "0d"), id="nothing of both was shown"),
    ],
)
def test_what_is_not_shown_stays_where_another_list_of_the_hook_is_emptied(
    older: tuple[str, str], edited: str, expected: tuple[str, str | None], halves: Scheme
) -> None:
    small, big = map(parts, older)
    document: Any = halves.convert(thing("v1", small=small, big=big), to="v2")
    document["parts"] = parts(edited)
    report: list[Any] = []
    made: Any = halves.convert(document, to="v1", report=report)
    found = tuple(made.get(name) for name in ("small", "big"))
    assert (found, report) == (tuple(text and parts(text) for text in expected), [])
    assert halves.convert(made, to="v2")["parts"] == parts(edited)


@pytest.mark.parametrize("value", [None, ...])
def test_a_list_that_is_deleted_takes_nothing_of_another_one_along(
    value: Any, scheme: Scheme
) -> None:
    older = {"left": parts("1a! 0b"), "right": parts("2c! 0d")}
    document: Any = scheme.convert(thing("v1", **older), to="v2")
    assert (document["left"], document["right"]) == (parts("1a"), parts("2c"))
    document["left"] = value
    if value is ...:
        del document["left"]
    report: list[Any] = []
    made: Any = scheme.convert(document, to="v1", report=report)
    assert (made.get("left"), made["right"], report) == (None, older["right"], [])
    assert ("left" in made) == (value is None)


BOXES = {
    "v1.yaml": schema_text("{box: {mode: string}, parts: {'*': {size: integer}}}"),
    "v2.yaml": schema_text(
        "{box: {mode: string, parts: [{name: string, size: integer, note: string}]}}"
    ),
}
MODE = {
    "hooks/things.py": """
from {generated}.things.v1.storage import AssignableThing
from holdall import Completing, Composed, Members


class Mode(Completing):
    older, newer = ("box", "parts"), ("box",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        if (older.get("box") or {}).get("mode"):
            older["box"]["mode"] = older["box"]["mode"].lower()
        return older


class Hook(Composed, AssignableThing):
    parts = (Mode(),)
""",
}


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> list[Scheme]:
    """Return two groups in which a keyed list moves: under a completing hook, and without one."""
    config = config_of(
        "Thing", more="between: {v1 -> v2: {Thing: {parts: {move: box/parts, keyed: name}}}}"
    )
    root = tmp_path_factory.mktemp("boxes")
    projects = {"hooked": {**BOXES, **MODE}, "declared": BOXES}
    return [scheme_of(build_project(root / name, config, it)) for name, it in projects.items()]


@pytest.mark.parametrize("seed", range(30))
def test_a_keyed_list_under_a_completing_hook_has_the_order_that_it_has_without_one(
    seed: int, boxes: list[Scheme]
) -> None:
    random = Random(seed)
    names = random.sample("abcdefgh", random.randint(1, 6))
    listed = [{"name": one, "size": 1, "note": one.upper()} for one in names]
    shown = {one: {"size": 1} for one in names}
    for _ in range(random.randint(1, 3)):
        match random.choice(["rename", "delete", "add", "edit"]) if shown else "add":
            case "rename":
                shown[random.choice("ABCMNOXYZ")] = shown.pop(random.choice([*shown]))
            case "delete":
                del shown[random.choice([*shown])]
            case "add":
                shown[random.choice("JKL")] = {"size": 2}
            case "edit":
                shown[random.choice([*shown])] = {"size": 3}
    found = []
    for scheme in boxes:
        document = scheme.convert(thing("v2", box={"mode": "A", "parts": listed}), to="v1")
        document["parts"] = shown
        report: list[Any] = []
        found.append((scheme.convert(document, to="v2", report=report), len(report)))
    hooked, declared = found
    assert hooked[0]["box"] == {**declared[0]["box"], "mode": "A"}
    assert hooked[1] == declared[1] or not shown  # what is deleted with the list is not reported


HELD = "{box: {parts: [{size: integer, tag: {$: string, $default: d}, %s: string}]}}"
SAME = """
from {generated}.things.v1.storage import AssignableThing
from holdall import Completing, Composed, Members


class Same(Completing):
    older = newer = ("box",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        return older


class Hook(Composed, AssignableThing):
    parts = (Same(),)
"""


def test_what_a_server_fills_in_hides_nothing_beside_what_the_other_version_lacks(
    tmp_path: Path,
) -> None:
    files = {
        "v1.yaml": schema_text(HELD % "old"),
        "v2.yaml": schema_text(HELD % "new"),
        "hooks/things.py": SAME,
    }
    scheme = scheme_of(build_project(tmp_path, config_of("Thing"), files))
    older = [{"size": size, "old": f"o{size}"} for size in (1, 2, 3)]
    document: Any = scheme.convert(thing("v1", box={"parts": older}), to="v2")
    edited = document["box"]["parts"]
    edited[0] |= {"size": 7, "new": "n7"}
    edited[1] |= {"new": "n2"}
    for part in edited:
        part["tag"] = "d"
    report: list[Any] = []
    made: Any = scheme.convert(document, to="v1", report=report)
    assert made["box"]["parts"][1:] == older[1:]
    assert [LOST in str(one) for one in report] == [True]
    assert scheme.convert(made, to="v2")["box"]["parts"] == edited


def test_nor_does_it_where_the_object_goes_on_to_a_version_farther_away(tmp_path: Path) -> None:
    files = {
        **dict.fromkeys(("v1.yaml", "v2.yaml"), schema_text(HELD % "seen")),
        "v3.yaml": schema_text(
            (HELD % "seen").replace("seen: string", "seen: string, new: string")
        ),
        "hooks/__init__.py": "",
        "hooks/things.py": SAME.replace(".v1.", ".v2."),
    }
    scheme = scheme_of(build_project(tmp_path, config_of("Thing", "v1 v2 v3"), files))
    newest = [{"size": size, "new": f"n{size}"} for size in (1, 2, 3)]
    document: Any = scheme.convert(thing("v3", box={"parts": newest}), to="v2")
    for part in document["box"]["parts"]:
        part["tag"] = "d"
    document["box"]["parts"][0]["size"] = 7
    report: list[Any] = []
    older: Any = scheme.convert(document, to="v1", report=report)
    assert [LOST in str(one) for one in report] == [True]
    made: Any = scheme.convert(older, to="v3")
    assert [part.get("new") for part in made["box"]["parts"]] == [None, "n2", "n3"]

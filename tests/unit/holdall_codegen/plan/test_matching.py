"""A declaration for all properties: it acts where a pair would be refused, or is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import PlanError
from tests.support.proposing import NUMBER, TEXT, many, planned, thing, write_versions

V1 = thing(one=many(TEXT), two=many(TEXT), same=many(TEXT), plain=TEXT)
V2 = thing(one=TEXT, two=TEXT, same=many(TEXT), plain=TEXT)


def _kinds(root: Path) -> dict[str, str]:
    (edge,) = planned(root).edges
    return {pair.older: type(pair.conversion).__name__ for pair in edge.pairs}


@pytest.mark.parametrize("pattern", ["*", "Box", "B*"])
def test_all_refused_properties(tmp_path: Path, pattern: str) -> None:
    """One line wraps those that need it; the others stay as they are."""
    between = {"v1 -> v2": {pattern: {"*": {"wrap": True}}}}
    assert _kinds(write_versions(tmp_path, between, v1=V1, v2=V2)) == {
        "one": "Flipped",
        "two": "Flipped",
        "same": "Copy",
        "plain": "Same",
    }


def test_a_property_of_its_own_comes_first(tmp_path: Path) -> None:
    """What is declared for one property is not what is declared for all."""
    facts = {"*": {"wrap": True}, "one": {"strategy": "stash"}}
    root = write_versions(tmp_path, {"v1 -> v2": {"Box": facts}}, v1=V1, v2=V2)
    assert "one" not in _kinds(root)
    (edge,) = planned(root).edges
    assert edge.only_older == ("one",)


@pytest.mark.parametrize(
    ("facts", "v2", "code"),
    [
        ({"*": {"wrap": True}}, V1, "HA212"),
        (
            {"*": {"wrap": True}},
            {**V2, "properties": {**V2["properties"], "plain": NUMBER}},
            "HA201",
        ),
        ({"*": {"values": {"a": "b"}}}, V1, "HA212"),
    ],
)
def test_it_must_act(tmp_path: Path, facts: dict[str, Any], v2: dict[str, Any], code: str) -> None:
    """Without effect it is an error, as any declaration; what it cannot mend stays refused."""
    root = write_versions(tmp_path, {"v1 -> v2": {"Box": facts}}, v1=V1, v2=v2)
    with pytest.raises(PlanError) as error:
        planned(root)
    assert [problem.code for problem in error.value.problems] == [code]


def test_a_property_of_that_name(tmp_path: Path) -> None:
    """A wire name `*` is a property: its declaration is about it alone."""
    v1, v2 = thing(**{"*": many(TEXT)}, one=many(TEXT)), thing(**{"*": TEXT}, one=many(TEXT))
    root = write_versions(tmp_path, {"v1 -> v2": {"Box": {"*": {"wrap": True}}}}, v1=v1, v2=v2)
    assert _kinds(root) == {"*": "Flipped", "one": "Copy"}


@pytest.mark.parametrize(
    ("older", "newer", "helps"),
    [
        (many(TEXT), TEXT, True),
        (TEXT, many(NUMBER), False),
        ({"type": "object", "additionalProperties": TEXT}, many(thing(name=TEXT)), False),
        (many(many(TEXT)), TEXT, False),
    ],
)
def test_only_what_helps_is_offered(
    tmp_path: Path, older: dict[str, Any], newer: dict[str, Any], helps: bool
) -> None:
    """`wrap` is no fix of a refused pair that it would not convert."""
    with pytest.raises(PlanError) as error:
        planned(write_versions(tmp_path, v1=thing(part=older), v2=thing(part=newer)))
    (problem,) = error.value.problems
    assert ("wrap: true" in problem.fix) is helps
    assert "strategy: stash" in problem.fix


@pytest.mark.parametrize(
    ("facts", "v2", "why"),
    [
        (
            {"Box": {"gone": {"wrap": True}}},
            thing(gonee=TEXT),
            "v2.Box has no property 'gone'; did you mean \"gonee\"?",
        ),
        (
            {"BoxInner": {"name": {"strategy": "stash"}}},
            thing(),
            "no type of v2 is the type's partner",
        ),
        ({"Box": {"*": {"wrap": True}}}, thing(gone=TEXT), "it would fix no refused property"),
        (
            {"Box": {"gone": "not_same"}, "B*": {"gone": {"strategy": "stash"}}},
            thing(gone=TEXT),
            "the declaration at holdall.yaml:20 overrides it",
        ),
        (
            {"B*": {"other": "gone"}, "*": {"other": {"rename": "gone"}}},
            thing(gone=TEXT),
            "the declaration at holdall.yaml:23 overrides it",
        ),
        (
            {"Box": {"gone": "not_same", "other": "gone"}},
            thing(gone=TEXT),
            "another declaration gives gone another partner",
        ),
        (
            {"Box": {"gone": {"wrap": True}, "other": "gone"}},
            thing(gone=TEXT),
            "another declaration gives gone another partner",
        ),
    ],
)
def test_why_a_declaration_has_no_effect(
    tmp_path: Path, facts: dict[str, Any], v2: dict[str, Any], why: str
) -> None:
    """The message names what is in the way."""
    v1 = thing(gone=TEXT, other=TEXT, inner=thing(name=TEXT))
    with pytest.raises(PlanError) as error:
        planned(write_versions(tmp_path, {"v1 -> v2": facts}, v1=v1, v2=v2))
    (problem,) = error.value.problems
    assert (problem.code, problem.message.partition("v1 and v2: ")[2]) == ("HA212", why)


@pytest.mark.parametrize(
    ("facts", "message", "fix"),
    [
        (
            {"gonne": {"wrap": True}},
            "v1 Box has no property 'gonne'; did you mean \"gone\"?",
            "use the wire name of a property of the older type, or remove the entry",
        ),
        (
            {"new": {"strategy": "hook"}},
            "v1 Box has no property 'new'; v2 has it",
            "write OLDER: {rename: new}, its name in v1 first, or remove the entry",
        ),
        (
            {"length": "size"},
            "v1 Box has no property 'length'; BoxPart has it",
            "declare it under a type that has it, such as BoxPart, or remove the entry",
        ),
        (
            {"neww": {"default": 1}},
            "v1 Box has no property 'neww', nor has its partner in v2; did you mean \"new\"?",
            "use the wire name of a property of one of the two, or remove the entry",
        ),
        (
            {"$typ": "Boxes"},
            "v1 Box has no property '$typ'; did you mean \"$type\"?",
            "use the wire name of a property of the older type, or remove the entry",
        ),
    ],
)
def test_unknown_properties(tmp_path: Path, facts: dict[str, Any], message: str, fix: str) -> None:
    """The message knows the properties of both versions, and that some are said of either."""
    root = write_versions(
        tmp_path,
        {"v1 -> v2": {"Box": facts}},
        v1=thing(gone=TEXT, part=thing(length=TEXT)),
        v2=thing(new=TEXT),
    )
    with pytest.raises(PlanError) as error:
        planned(root)
    (problem,) = error.value.problems
    assert (problem.code, problem.message, problem.fix) == ("HA211", message, fix)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"move": "inner/gone"}, "a value moves over one edge only"),
        ({"strategy": "hook"}, "gone is not missing between them and back in v3"),
        (
            {"rename": "inner", "strategy": "hook"},
            "inner is not missing between them and back in v3",
        ),
    ],
)
def test_what_is_no_skip_link_is_said_to_be_none(
    tmp_path: Path, facts: dict[str, Any], why: str
) -> None:
    """v2 has no such value, and v3 has it inside an object that v2 has."""
    inner = thing(name=TEXT)
    root = write_versions(
        tmp_path,
        {"v1 -> v3": {"Box": {"gone": facts}}},
        v1=thing(gone=TEXT, inner=inner),
        v2=thing(inner=inner),
        v3=thing(inner=thing(name=TEXT, gone=NUMBER)),
    )
    with pytest.raises(PlanError) as error:
        planned(root)
    (problem,) = error.value.problems
    message = problem.message.partition("v1 and v3: ")[2]
    assert (problem.code, message) == ("HA212", f"they are not neighbours, and {why}")


def test_hooks_need_no_declaration(tmp_path: Path) -> None:
    """Whoever leaves a property without a partner to a hook learns how that is said."""
    between = {"v1 -> v2": {"Box": {"gone": {"strategy": "hook"}}}}
    with pytest.raises(PlanError) as error:
        planned(write_versions(tmp_path, between, v1=thing(gone=TEXT), v2=thing(new=NUMBER)))
    (problem,) = error.value.problems
    assert problem.code == "HA212"
    assert problem.fix.endswith("without a partner (`holdall hooks scaffold Box v1..v2`)")


@pytest.mark.parametrize(
    ("facts", "reasons"),
    [
        ({"size": {"move": "size/width"}}, {"size": "v1.Box size is size/width here"}),
        ({"size": "note"}, {"size": "v1.Box size is note here", "more": "v1.Box has no such"}),
        (
            {"size": {"rename": "note", "strategy": "hook"}},
            {"size": "v1.Box size has another partner"},
        ),
        ({"size": "not_same"}, {"size": "declared not_same", "note": "v1.Box has no such"}),
    ],
)
def test_why_a_property_is_alone(
    tmp_path: Path, facts: dict[str, Any], reasons: dict[str, str]
) -> None:
    """No property is denied that the other type has: its partner is another one."""
    v2 = thing(size=thing(width=TEXT), note=TEXT, more=TEXT)
    (edge, *_) = planned(
        write_versions(tmp_path, {"v1 -> v2": {"Box": facts}}, v1=thing(size=TEXT), v2=v2)
    ).edges
    found = {it.name: it.reason for it in edge.decisions if it.side == "newer"}
    assert {name: found[name].removesuffix(" property") for name in reasons} == reasons


def _nested(**types: dict[str, Any]) -> dict[str, Any]:
    return thing(**{name: {"type": "object", "properties": inner} for name, inner in types.items()})


@pytest.mark.parametrize("facts", [{"a/x": {"move": "x"}}, {"b": {"rename": "c"}}])
def test_a_pattern_acts_where_its_paths_lead(tmp_path: Path, facts: dict[str, Any]) -> None:
    """One of its types has the whole path and the place that it leads to; the others do not."""
    inner = {"type": "object", "properties": {"x": TEXT, "z": TEXT}}
    v1 = _nested(
        one={"a": inner, "b": TEXT}, two={"a": {**inner, "properties": {"z": TEXT}}, "b": NUMBER}
    )
    v2 = _nested(
        one={"a": {**inner, "properties": {"z": TEXT}}, "x": TEXT, "c": TEXT},
        two={"a": inner, "b": NUMBER},
    )
    planned(write_versions(tmp_path, {"v1 -> v2": {"*": facts}}, v1=v1, v2=v2))


@pytest.mark.parametrize("facts", [{"a/x": {"move": "x"}}, {"b": {"rename": "c"}}])
def test_a_pattern_leads_somewhere(tmp_path: Path, facts: dict[str, Any]) -> None:
    """If no type has what it names, nobody would notice that it is misspelled."""
    v1 = v2 = _nested(one={"a": {"type": "object", "properties": {"z": TEXT}}, "b": TEXT})
    root = write_versions(tmp_path, {"v1 -> v2": {"*": facts}}, v1=v1, v2=v2)
    with pytest.raises(PlanError) as error:
        planned(root)
    (problem,) = error.value.problems
    assert problem.code == "HA212"
    assert "has no property '" in problem.message

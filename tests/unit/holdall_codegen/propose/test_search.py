"""What is proposed for a group: right pairs, and nothing that a plan would refuse or lose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from holdall_codegen.project import read_project
from holdall_codegen.propose import Proposal, propose
from tests.support.notation import expanded
from tests.support.proposing import (
    FLAG,
    NUMBER,
    TEXT,
    lines,
    many,
    mapped,
    proposals,
    thing,
    words,
    write_versions,
)

KEPT = thing(host=TEXT, port=NUMBER)


def _lines(root: Path, v1: dict[str, Any], v2: dict[str, Any], **more: Any) -> list[str]:
    return lines(write_versions(root, v1=v1, v2=v2, **more))


# --- renames and moves --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("v1", "v2", "wanted"),
    yaml.safe_load("""
- [{poolQuota: integer}, {poolLimit: integer}, ["Box: poolQuota: poolLimit"]]
- [{cohort: string}, {cohortName: string}, ["Box: cohort: cohortName"]]
- [{memoryMb: integer}, {memory: integer}, ["Box: memoryMb: memory"]]
- [{podTemplate: {host: string, port: integer}, size: integer},
  {runTemplate: {podTemplate: {host: string, port: integer}, account: string}, size: integer},
  ["Box: podTemplate: {move: runTemplate/podTemplate}"]]
- [{rolloutAfter: string, keep: string}, {rollout: {after: string}, keep: string},
  ["Box: rolloutAfter: {move: rollout/after}"]]
- [{old: {hostName: string}, keep: string}, {hostName: string, keep: string},
  ["Box: old/hostName: {move: hostName}"]]
- [{seconds: integer, spec: {a: string}}, {spec: {a: string, graceSeconds: integer}}, []]
- [{graceSeconds: integer, template: {a: string}}, {template: {a: string, graceSeconds: integer}},
  ["Box: graceSeconds: {move: template/graceSeconds}"]]
- [{deletePolicy: Random|Newest|Oldest}, {deletion: {order: Random|Newest|Oldest}},
  ["Box: deletePolicy: {move: deletion/order}"]]
- [{resources: {limits: string, requests: string}},
  {computeResources: {limits: string, requests: string}, quota: string},
  ["Box: resources: computeResources"]]
"""),
)
def test_what_is_probably_one(tmp_path: Path, v1: Any, v2: Any, wanted: list[str]) -> None:
    """Names, types and places together make a proposal; one of them alone does not."""
    assert _lines(tmp_path, expanded(v1), expanded(v2)) == wanted


@pytest.mark.parametrize(
    ("v1", "v2"),
    yaml.safe_load("""
- [{availableReplicas: integer}, {unavailableReplicas: integer}]
- [{minSize: integer}, {maxSize: integer}]
- [{apiVersion: string, uid: string, fieldPath: string}, {apiGroup: string}]
- [{flavors: [string]}, {flavorsUsage: [{name: string}]}]
- [{mode: Fast|Slow}, {modeName: On|Off}]
- [{alpha: {auth: {name: string, key: string}}},
  {omega: {auth: {name: string, key: string}, region: string}}]
- [{login: {resources: {host: string, port: integer}, host: string}},
  {login: {host: string}, updater: {resources: {host: string, port: integer}}}]
- [{spec: {results: [string]}, status: {a: string}},
  {spec: {b: string}, status: {a: string, results: [string]}}]
"""),
)
def test_what_is_not_one(tmp_path: Path, v1: Any, v2: Any) -> None:
    """Opposites, other types, other values, members of objects that have nothing in common."""
    assert _lines(tmp_path, expanded(v1), expanded(v2)) == []


def test_two_sources_for_one_target_are_none(tmp_path: Path) -> None:
    """Where two are as probable, nobody is asked to guess."""
    v1 = thing(hostNameOld=TEXT, hostNameBase=TEXT)
    assert _lines(tmp_path, v1, thing(hostName=TEXT)) == []


def test_a_target_is_proposed_once(tmp_path: Path) -> None:
    """No two proposals lead to one property, over all edges and rounds."""
    v1 = thing(flavorUsage=many(thing(name=TEXT)), flavors=many(thing(name=TEXT)))
    assert _lines(tmp_path, v1, thing(flavorsUsage=many(thing(name=TEXT)))) == [
        "Box: flavorUsage: flavorsUsage"
    ]


def test_nested_types_are_looked_at_when_their_holders_are_pairs(tmp_path: Path) -> None:
    """A rename pairs two types, whose members give the next proposals, all in one run."""
    step = thing(name=TEXT, resources=thing(limits=TEXT))
    spec = thing(name=TEXT, computeResources=thing(limits=TEXT))
    found = _lines(tmp_path, thing(stepOverrides=many(step)), thing(stepSpecs=many(spec)))
    assert found == ["Box: stepOverrides: stepSpecs", "StepOverride: resources: computeResources"]


def test_what_was_learnt_helps_elsewhere(tmp_path: Path) -> None:
    """A rename that is clear in one type makes the same one probable in another."""
    part = many(thing(name=TEXT, claim=TEXT))
    v1 = thing(a=thing(partOverrides=part), b=thing(partOverrides=part, lost=many(TEXT), more=part))
    v2 = thing(a=thing(partSpecs=part), b=thing(partSpecs=part))
    assert _lines(tmp_path, v1, v2) == [
        "BoxA: partOverrides: partSpecs",
        "BoxB: partOverrides: partSpecs",
    ]


# --- what a plan must allow ---------------------------------------------------------------------


def test_what_a_link_carries_stays(tmp_path: Path) -> None:
    """A property that returns in a later version under its name is not renamed in between."""
    root = write_versions(
        tmp_path,
        v1=thing(hostNames=TEXT),
        v2=thing(hostName=TEXT),
        v3=thing(hostNames=TEXT, b=TEXT),
    )
    assert [item.edge for item in proposals(root)] == []


def test_a_guess_is_not_made_where_it_would_be_refused(tmp_path: Path) -> None:
    """The objects are alike by name, and their members would be refused."""
    v1 = thing(podTemplates=thing(size=many(TEXT), extra=TEXT))
    v2 = thing(podTemplate=thing(size=thing(a=TEXT), extra=TEXT))
    assert _lines(tmp_path, v1, v2) == []


def test_what_is_declared_is_not_proposed(tmp_path: Path) -> None:
    """A declared rename is no proposal any more, nor is what was declared not to be one."""
    between = {"v1 -> v2": {"Box": {"cohort": "cohortName"}}}
    assert _lines(tmp_path, thing(cohort=TEXT), thing(cohortName=TEXT), between=between) == []


def test_no_member_leaves_an_object_that_moves(tmp_path: Path) -> None:
    """An edit of it would be lost on the way: this needs a hook, and is said to."""
    old = thing(type=TEXT, surge=TEXT, deletePolicy=words("Random", "Newest", "Oldest"))
    new = thing(strategy=thing(type=TEXT, surge=TEXT), after=TEXT)
    deletion = thing(order=words("Random", "Newest", "Oldest"))
    found = _lines(tmp_path, thing(strategy=old), thing(rollout=new, deletion=deletion))
    assert found == [
        "Box: strategy: {move: rollout/strategy}",
        "Box: strategy/deletePolicy ~ deletion/order",
    ]


# --- crossing -----------------------------------------------------------------------------------

_OLD = many(thing(type=TEXT, severity=TEXT))
_NEW = many(thing(type=TEXT, observed=NUMBER))


def test_properties_that_crossed(tmp_path: Path) -> None:
    """Equal names with other types, each with its equal elsewhere; their numbers go with them."""
    v1 = thing(conditions=_OLD, ready=NUMBER, v2=thing(conditions=_NEW, ready=NUMBER))
    v2 = thing(
        conditions=_NEW, ready=NUMBER, deprecated=thing(v1=thing(conditions=_OLD, ready=NUMBER))
    )
    assert sorted(_lines(tmp_path, v1, v2)) == [
        "Box: conditions: {move: deprecated/v1/conditions}",
        "Box: ready: {move: deprecated/v1/ready}",
        "Box: v2/conditions: {move: conditions}",
        "Box: v2/ready: {move: ready}",
    ]


def test_equal_types_have_not_crossed(tmp_path: Path) -> None:
    """Without another type or names of versions, properties of one name are one."""
    v1 = thing(ready=NUMBER, next=thing(ready=NUMBER, spare=TEXT))
    v2 = thing(ready=NUMBER, last=thing(ready=NUMBER, other=FLAG))
    assert not any(line.startswith("Box: ready") for line in _lines(tmp_path, v1, v2))


# --- values, text and numbers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (("on", "off"), ("On", "Off"), "{on: On, off: Off}"),
        (("power-on", "Idle"), ("PowerOn", "Idle"), "{power-on: PowerOn}"),
        (("Basic", "Paid"), ("Base", "Standard"), None),
        (("on", "On"), ("On", "Off"), None),
        (("on", "off"), ("ON", "On", "OFF"), None),
    ],
)
def test_values_of_another_form(
    tmp_path: Path, before: tuple[str, ...], after: tuple[str, ...], wanted: str | None
) -> None:
    """Case and dashes make no other value, where only one can be meant."""
    quoted = wanted and wanted.replace("on:", '"on":').replace("off:", '"off":')
    quoted = quoted and quoted.replace("On,", '"On",').replace("Off}", '"Off"}')
    quoted = quoted if wanted != "{power-on: PowerOn}" else wanted
    found = _lines(tmp_path, thing(power=words(*before)), thing(power=words(*after)))
    assert found == ([f"Box: power: {{values: {quoted}}}"] if quoted else [])


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (("Empty", "Unused"), ("Empty", "EmptyOrUnused"), "{Unused: EmptyOrUnused}"),
        (("run-always", "never"), ("Always", "Never"), "{never: Never, run-always: Always}"),
        (("Empty", "Unused", "Old"), ("Empty", "EmptyOrUnused"), None),
        (("Idle", "Ready"), ("Idle", "NotYetReady"), None),
        (("Off", "Tls"), ("Off", "Tls2"), None),
        (("Empty", "Unused"), ("Empty", "Stale"), None),
    ],
)
def test_a_value_with_more_words(
    tmp_path: Path, before: tuple[str, ...], after: tuple[str, ...], wanted: str | None
) -> None:
    """If one is left on each side; it is not turned round, and a number makes another value."""
    found = _lines(tmp_path, thing(policy=words(*before)), thing(policy=words(*after)))
    assert found == ([f"Box: policy: {{values: {wanted}}}"] if wanted else [])


def test_values_go_with_a_rename_and_a_move(tmp_path: Path) -> None:
    """One line does both."""
    v1 = thing(runModes=words("fast", "slow", "idle"))
    v2 = thing(run=thing(mode=words("Fast", "Slow", "Idle")))
    assert _lines(tmp_path, v1, v2) == [
        "Box: runModes: {move: run/mode, values: {fast: Fast, slow: Slow, idle: Idle}}"
    ]


def test_text_that_became_a_number_with_a_unit_of_time(tmp_path: Path) -> None:
    """It is a duration, on any level."""
    v1 = thing(drainTimeout=TEXT, ttl={"type": "string", "description": "How long a token lives."})
    v2 = thing(
        deletion=thing(drainTimeoutSeconds=NUMBER),
        ttlSeconds={"type": "integer", "description": "How long a token lives."},
    )
    assert sorted(_lines(tmp_path, v1, v2)) == [
        "Box: drainTimeout: {move: deletion/drainTimeoutSeconds, duration: seconds}",
        "Box: ttl: {rename: ttlSeconds, duration: seconds}",
    ]


def test_a_number_that_became_a_duration(tmp_path: Path) -> None:
    """The number may be the older one, and its unit any."""
    v1, v2 = thing(waitMillis=NUMBER, keep=TEXT), thing(wait=TEXT, keep=TEXT)
    assert _lines(tmp_path, v1, v2) == ["Box: waitMillis: {rename: wait, duration: milliseconds}"]


QUANTITY = {"x-kubernetes-int-or-string": True}


@pytest.mark.parametrize(
    ("older", "newer", "line"),
    [
        ({"storageGi": NUMBER}, {"storage": QUANTITY}, "{rename: storage, unit: Gi}"),
        ({"storage": QUANTITY}, {"storageMiB": NUMBER}, "{rename: storageMiB, unit: Mi}"),
        ({"storage": QUANTITY}, {"storageBytes": NUMBER}, '{rename: storageBytes, unit: ""}'),
        ({"sizeMi": NUMBER}, {"disk": thing(size=TEXT)}, "{move: disk/size, unit: Mi}"),
        ({"sizeMi": NUMBER}, {"sizeMi": TEXT}, "{unit: Mi}"),
    ],
)
def test_a_number_that_became_a_quantity(
    tmp_path: Path, older: dict[str, Any], newer: dict[str, Any], line: str
) -> None:
    """Its name says what one is; as an integer, which a quantity may be, it would be bytes."""
    (name,) = older
    assert lines(write_versions(tmp_path, v1=thing(**older), v2=thing(**newer))) == [
        f"Box: {name}: {line}"
    ]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"waitSeconds": NUMBER}, {"waitMillis": NUMBER}),
        ({"storageGb": NUMBER}, {"storageMb": NUMBER}),
        ({"storageGb": NUMBER}, {"storage": QUANTITY}),
    ],
)
def test_a_number_of_another_unit_takes_code(
    tmp_path: Path, older: dict[str, Any], newer: dict[str, Any]
) -> None:
    """Renamed, 30 seconds would be 30 milliseconds; nobody knows whether a GB is a G or a Gi."""
    found = proposals(write_versions(tmp_path, v1=thing(**older), v2=thing(**newer)))
    assert [(item.is_declarable, item.why) for item in found] == [
        (False, "its unit has changed: this needs a hook")
    ]


def test_text_that_became_another_number_takes_code(tmp_path: Path) -> None:
    """It is found, and no line does it."""
    v1, v2 = thing(poolSize=TEXT, keep=TEXT), thing(poolSizeCount=NUMBER, keep=TEXT)
    (found,) = proposals(write_versions(tmp_path, v1=v1, v2=v2))
    assert (found.property_path, *found.target) == ("poolSize", "poolSizeCount")
    assert not found.is_declarable


@pytest.mark.parametrize("value", [QUANTITY, NUMBER, FLAG])
def test_a_value_that_an_object_holds(tmp_path: Path, value: dict[str, Any]) -> None:
    """Of a usual name and of its type; more about it may be beside it, in either version."""
    v1 = thing(storage=value, cpu=thing(value=value, unit=TEXT), other=value)
    v2 = thing(
        storage=thing(size=value, className=TEXT), cpu=value, other=thing(least=value, most=value)
    )
    assert lines(write_versions(tmp_path, v1=v1, v2=v2)) == [
        "Box: storage: {move: storage/size}",
        "Box: cpu/value: {move: cpu}",
        "Box: other: {strategy: stash}",
    ]


@pytest.mark.parametrize("is_upward", [True, False])
def test_a_list_that_an_object_holds(tmp_path: Path, *, is_upward: bool) -> None:
    """Its elements are those of the object's list; the object is not one of them."""
    rule = thing(host=TEXT, port=NUMBER)
    flat = thing(
        rules=many(rule),
        zones=many(TEXT),
        nodes=many(thing(name=TEXT, nodes=many(TEXT))),
        ports=many(TEXT),
    )
    deep = thing(
        rules=thing(scope=TEXT, items=many(rule), hosts=many(TEXT)),
        zones=thing(zones=many(TEXT), policy=TEXT),
        nodes=thing(name=TEXT, items=many(thing(size=NUMBER))),
        ports=thing(open=many(TEXT), closed=many(TEXT)),
    )
    up = ["rules: {move: rules/items}", "zones: {move: zones/zones}"]
    down = ["rules/items: {move: rules}", "zones/zones: {move: zones}"]
    found = _lines(tmp_path, *((flat, deep) if is_upward else (deep, flat)))
    others = ["nodes: {wrap: true}", "ports: {strategy: stash}"]
    assert found == [f"Box: {line}" for line in [*(up if is_upward else down), *others]]


def test_a_refused_duration(tmp_path: Path) -> None:
    """Of one name, too."""
    root = write_versions(tmp_path, v1=thing(waitSeconds=TEXT), v2=thing(waitSeconds=NUMBER))
    assert lines(root) == ["Box: waitSeconds: {duration: seconds}"]


# --- what is refused without --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (TEXT, many(TEXT), "{wrap: true}"),
        (many(KEPT), KEPT, "{wrap: true}"),
        (TEXT, thing(name=TEXT, kind=TEXT), "{reference: name}"),
        (thing(until=TEXT), TEXT, "{reference: until}"),
        (many(TEXT), many(thing(id=TEXT, kind=TEXT)), "{reference: id}"),
        (TEXT, NUMBER, "{strategy: stash}"),
        (mapped(TEXT), many(KEPT), "{strategy: stash}"),
        (mapped(TEXT), many(thing(name=TEXT, value=TEXT, more=TEXT)), "{keyed: name/value}"),
        (many(thing(name=TEXT, value=NUMBER)), mapped(NUMBER), "{keyed: name/value}"),
        (mapped(thing(a=TEXT)), many(thing(name=TEXT, a=TEXT)), "{keyed: name}"),
        (mapped(thing(a=TEXT)), many(thing(key=TEXT, value=thing(a=TEXT))), "{keyed: key/value}"),
        (mapped(thing(name=TEXT)), many(thing(name=TEXT, a=TEXT)), "{strategy: stash}"),
    ],
)
def test_what_makes_a_refused_pair_convert(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], wanted: str
) -> None:
    """The declaration that converts most is proposed, and the plan is whole with it."""
    root = write_versions(tmp_path, v1=thing(part=before), v2=thing(part=after))
    assert lines(root) == [f"Box: part: {wanted}"]


@pytest.mark.parametrize("is_upward", [True, False])
def test_what_is_beside_a_referred_text_may_come_from_elsewhere(
    tmp_path: Path, is_upward: bool
) -> None:
    """A guess about the object does not hide what its other members were; its text is taken."""
    flat = thing(storage=TEXT, storageClass=TEXT, storageName=NUMBER)
    deep = thing(storage=thing(name=TEXT, storageClass=TEXT), keep=TEXT)
    moved = "storageClass: {move: storage/storageClass}"
    back = "storage/storageClass: {move: storageClass}"
    assert _lines(tmp_path, *((flat, deep) if is_upward else (deep, flat))) == [
        "Box: storage: {reference: name}",
        f"Box: {moved if is_upward else back}",
    ]


def test_refusals_of_nested_types_are_mended_too(tmp_path: Path) -> None:
    """A wrapped object pairs two types, and these have refused properties of their own."""
    inner = thing(deep=many(thing(a=TEXT, size=TEXT)), b=TEXT)
    flat = thing(deep=thing(a=TEXT, size=NUMBER), b=TEXT)
    found = _lines(tmp_path, thing(part=many(inner)), thing(part=flat))
    assert found == [
        "Box: part: {wrap: true}",
        "Part: deep: {wrap: true}",
        "Deep: size: {strategy: stash}",
    ]


def test_one_line_for_many_properties(tmp_path: Path) -> None:
    """Single values that were lists throughout take one line, not one each."""
    names = ("first", "second", "third", "fourth")
    v1 = thing(**{name: many(thing(a=TEXT, b=NUMBER)) for name in names}, plain=TEXT)
    v2 = thing(**{name: thing(a=TEXT, b=NUMBER) for name in names}, plain=TEXT)
    assert _lines(tmp_path, v1, v2) == ['"*": "*": {wrap: true}']


# --- asking -------------------------------------------------------------------------------------


def test_what_is_refused_by_the_user_is_left_out(tmp_path: Path) -> None:
    """With it goes all that would follow from it; what else was found stays."""
    step = thing(name=TEXT, resources=thing(limits=TEXT))
    spec = thing(name=TEXT, computeResources=thing(limits=TEXT))
    root = write_versions(
        tmp_path,
        v1=thing(stepOverrides=many(step), cohort=TEXT),
        v2=thing(stepSpecs=many(spec), cohortName=TEXT),
    )
    reading = read_project(root)
    asked: list[str] = []

    def ask(unit: tuple[Proposal, ...]) -> bool:
        asked.append(unit[0].property_path)
        return unit[0].property_path != "stepOverrides"

    found = propose(reading.models["boxes"], reading.config.groups[0], ask)
    assert [item.property_path for item in found] == ["cohort"]
    assert sorted(asked) == ["cohort", "stepOverrides"]

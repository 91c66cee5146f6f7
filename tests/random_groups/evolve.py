"""Schemas change: what was stored under the group of yesterday is read with the group of today.

Every hidden value is used where it belongs, or still carried, or reported. Where nothing but keys
changed, or something was gained, it is used. It never shows up anywhere else.
"""

from __future__ import annotations

import copy
import re
from dataclasses import replace

from tests.random_groups.apiserver import admit, prune_root
from tests.random_groups.dice import Dice
from tests.random_groups.model import (
    ABSENT,
    Face,
    Group,
    Json,
    Kind,
    Property,
    Type,
    kind_schema,
    types_below,
)
from tests.random_groups.pairs import pairs
from tests.random_groups.play import Play
from tests.random_groups.tokens import envelopes, is_carried, places
from tests.random_groups.tool import Project
from tests.random_groups.truth import Node, Row, Value, show_node
from tests.random_groups.values import Wrong

EDITS = ("gain", "gain renamed", "insert", "remove", "keys", "default", "keep", "close")
USED = ("gain", "insert", "keys", "keep")
"""After these edits, what is stored is used where it belongs."""


def evolve(group: Group, dice: Dice) -> tuple[Group, str] | None:
    """Return the group after one edit of its schemas, and what was edited."""
    if any(is_open(type, holder) for type, holder in all_types(group)):
        return None
    found = copy.deepcopy(group)
    edit = dice.pick(EDITS)
    if edit == "insert":
        if group.edges != "chain":
            return None
        return found, insert(found, dice)
    if edit in ("keep", "close"):
        return open_or_close(found, edit, dice)
    holders = all_types(found)
    spots = [
        (type, holder, item, version)
        for type, holder in holders
        for item in type.properties
        for version in found.versions
        if version in holder.faces
        and not (holder.kind.bend() is not None and holder.faces[version].bent)
        and not item.apart
        and not any(one.free for one in (type, *types_in(item.kind)))
        and len(item.names() & shared(type)) == 0
        and not any(face.inside for face in item.faces.values())
        and not any(
            face.inside == item.id for one in type.properties for face in one.faces.values()
        )
        and applies(edit, item, version, type, holder)
        and not (edit == "remove" and found.edges == "star" and version == found.hub)
    ]
    if not spots:
        return None
    _, _, item, version = dice.pick(spots)
    if edit.startswith("gain"):
        at = found.versions.index(version)
        source = min(item.faces, key=lambda one: abs(found.versions.index(one) - at))
        like = item.faces[source]
        name = f"{like.name}x" if edit == "gain renamed" else like.name
        item.faces[version] = Face(name, bent=like.bent, keys=like.keys, distinct=like.distinct)
        item.faces[version].strict = like.strict
        for inner in parts(item.kind):
            if source in inner.faces and version not in inner.faces:
                inner.faces[version] = replace(inner.faces[source])
        for inner in [item, *parts(item.kind)]:
            inner.faces = {v: inner.faces[v] for v in found.versions if v in inner.faces}
    elif edit == "remove":
        for one in [item, *parts(item.kind)]:
            one.faces.pop(version, None)
    elif edit == "default":
        face = item.faces[version]
        face.default = ABSENT if face.default is not ABSENT and dice.chance(50) else "other"
    else:
        face = item.faces[version]
        face.keys = () if face.keys and dice.chance(50) else (face.distinct,)
    return found, f"{edit}: {version} {min(item.names())}"


def all_types(group: Group) -> list[tuple[Type, Property]]:
    """Return all types of a group but those of its kinds, with the properties that hold them."""
    return [
        (type, holder)
        for root in group.kinds.values()
        for type, holder, _ in types_below(root)
        if holder is not None
    ]


def is_open(type: Type, holder: Property) -> bool:
    """Tell whether a type has no properties in some version: there it is open JSON."""
    return any(
        not any(version in item.faces for item in type.properties)
        for version, face in holder.faces.items()
        if not (holder.kind.bend() and face.bent)
    )


def types_in(kind: Kind) -> list[Type]:
    """Return the types of all objects that a value holds."""
    return [type for type, _, _ in types_below(Type([Property(0, kind, {})]))]


def parts(kind: Kind) -> list[Property]:
    """Return the properties of all objects that a value holds."""
    found: list[Property] = []
    if kind.item is not None:
        found += parts(kind.item)
    if kind.type is not None:
        for item in kind.type.properties:
            found += [item, *parts(item.kind)]
    return found


def shared(type: Type) -> set[str]:
    """Return the names that two properties share."""
    names = [name for item in type.properties for name in item.names()]
    return {name for name in names if names.count(name) > 1}


def applies(edit: str, item: Property, version: str, type: Type, holder: Property) -> bool:
    """Tell whether a property can be edited so."""
    if edit.startswith("gain"):
        return version not in item.faces and not any(one.apart for one in parts(item.kind))
    if version not in item.faces:
        return False
    if edit == "keys":
        inner = item.kind.item
        return (
            item.faces[version].distinct != ""
            and item.kind.name == "list"
            and not item.kind.bent
            and inner is not None
            and (inner.name == "obj" and not inner.bent)
        )
    if edit == "remove" and any(len(one.faces) == 1 or one.apart for one in parts(item.kind)):
        return False
    keys = (*holder.faces[version].keys, holder.faces[version].distinct)
    if item.faces[version].name in keys or (type.is_table() and item in type.properties[:2]):
        return False
    if edit == "default":
        return item.kind.name == "str"
    return len(item.faces) > 1 and len(item.faces) < len(holder.faces)


def insert(group: Group, dice: Dice) -> str:
    """Put a version between two others: it has what its older neighbour has, or its newer one."""
    place = dice.upto(1, len(group.versions) - 1)
    like = group.versions[place - 1 + dice.below(2)]
    name = f"{like}mid"
    group.versions.insert(place, name)
    roots = list(group.kinds.values())
    for type in [*roots, *(type for root in roots for type, _, _ in types_below(root))]:
        for some in (type.keeping, type.free):
            if like in some:
                some.add(name)
        for item in type.properties:
            if like in item.faces and name not in item.faces:
                item.faces[name] = replace(item.faces[like])
                item.faces = {v: item.faces[v] for v in group.versions if v in item.faces}
    return f"insert: {name}"


def open_or_close(group: Group, edit: str, dice: Dice) -> tuple[Group, str] | None:
    """Let a version keep what a type does not declare, or declare what was open JSON there."""
    order, spots = group.versions, []
    below = [one for root in group.kinds.values() for one in types_below(root)]
    for type, holder, outer in below:
        assert holder
        shown = [version for version in order if version in holder.faces]
        if edit == "keep" and not type.is_table():
            spots += [
                (type, holder, version)
                for version in shown
                if not type.shows_unknown(version, crds=True)
                and not (holder.kind.bend() is not None and holder.faces[version].bent)
            ]
        elif edit == "close" and type.free and not outer.free:
            free = [version for version in shown if version in type.free]
            spots += [(type, holder, free[-1 if shown[0] in free else 0])] if free else []
    if not spots or not group.crds:
        return None
    type, holder, version = dice.pick(spots)
    if edit == "keep":
        type.keeping.add(version)
    else:
        for one in types_in(holder.kind):
            one.free.discard(version)
    return group, f"{edit}: {version} {min(holder.names())}"


def retyped(kind: Kind, value: Value) -> Value:
    """Return a value whose nodes have the types of another group of the same properties."""
    if isinstance(value, Node):
        assert kind.type
        found = Node(kind.type, {}, copy.deepcopy(value.extras), value.id)
        for item in kind.type.properties:
            if item.id in value.values:
                found.values[item.id] = retyped(item.kind, value.values[item.id])
        return found
    if isinstance(value, Row):
        assert kind.item
        return Row([retyped(kind.item, item) for item in value.items], value.id)
    if isinstance(value, dict) and kind.name == "map":
        assert kind.item
        return {key: retyped(kind.item, item) for key, item in value.items()}
    return value


def read_with(play: Play, project: Project, edit: str, dice: Dice) -> None:
    """Read a stored document with a changed group, at some versions in a row."""
    group = project.group
    truth = retyped(Kind("obj", type=group.kinds[play.kind]), play.truth)
    document, version = play.document, play.version
    play.note(f"the schemas change: {edit}")
    stored = envelopes(document)
    live = places(play.body(document))
    if group.crds:
        document = admit(document, kind_schema(group, play.kind, version))
        play.note("  as the server reads it", document)
    # Without a server, what its type declares no more is an undeclared member from now on.
    loose = set(live) if not group.crds and edit.startswith("remove") else set()
    if group.crds:  # a type may keep what it does not declare
        loose = set(places(play.body(document))) - set(places(show_node(truth, version, True)))
    gone = loose | {
        token
        for token in live
        if token not in places(play.body(document)) and not is_carried(token, stored)
    }
    everything = {
        token
        for one in play.group.versions
        for token in places(show_node(play.truth, one, group.crds))
    }
    everything = {token for token in everything if token in live or is_carried(token, stored)}
    if edit.startswith("close"):
        # What no version takes any more is an undeclared member, as servers prune them.
        shown_now = [show_node(truth, one, group.crds) for one in group.versions]
        loose |= everything - {token for one in shown_now for token in places(one, copies=True)}
        gone |= loose
    # What a hook kept on an edge stays in the bag where another version comes between.
    hooked = {name for pair in pairs(group) if pair.is_hooked for name in pair.item.names()}
    told: set[str] = set()
    keys: set[str] = set()
    for _ in range(1 + dice.below(3)):
        goal = dice.pick(group.versions)
        if goal == version:
            continue
        found, report = project.convert(document, goal)
        play.note(
            f"converted to {goal}" + "".join(f"\n    reported: {one}" for one in report), found
        )
        if group.crds:
            found = prune_root(found, kind_schema(group, play.kind, goal))
        keys |= {one.key for one in report}
        shown = places(play.body(found))
        expected = places(show_node(truth, goal, group.crds), copies=True)
        texts = envelopes(found)
        present = set(places(play.body(found), copies=True))
        if edit.startswith("remove"):
            carried = {one for one in everything - present if is_carried(one, texts)}
            rest = places(without(show_node(truth, goal, group.crds), carried), copies=True)
        else:
            rest = expected
        undeclared: dict[str, str] = {}
        if not group.crds and goal in play.group.versions:
            # A property that was removed is an undeclared member from now on.
            undeclared = places(show_node(play.truth, goal, group.crds))
        named = owners_of(truth, goal)
        for token, place in shown.items():
            order_is_told = bool(named.get(token, set()) & keys)
            if order_is_told and in_any_order(place) == in_any_order(expected.get(token, "")):
                continue
            if token in everything - loose and place not in (
                expected.get(token),
                rest.get(token),
                undeclared.get(token),
                *([place] if expected.get(token) == "twice" else []),
            ):
                where = expected.get(token, "nowhere")
                raise Wrong("misplaced", f"{token} belongs to {where}, and is at {place}")
        for token in sorted(everything - gone - present):
            play.court.checks += 1
            names = named.get(token, set())
            if names & keys or token in told:
                told.add(token)
            elif not is_carried(token, texts):
                raise Wrong("evolution", f"{token} has vanished after {edit}, unreported")
            elif token in expected and edit.startswith(USED) and not names & hooked:
                raise Wrong("unused", f"{token} belongs to {expected[token]}, and is carried only")
        document, version = found, goal


def without(value: Json, carried: set[str]) -> Json:
    """Return a value without those elements of lists of which all that occurs once is carried.

    What hid them is no longer declared, so the elements behind them move up.
    """
    if isinstance(value, dict):
        return {key: without(item, carried) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    tokens = [set(places(item, copies=True)) for item in value]
    return [
        without(item, carried)
        for item, once in zip(value, tokens, strict=True)
        if not once or once - carried
    ]


def in_any_order(place: str) -> str:
    """Return a place without those in lists."""
    return re.sub(r"/\d+(?=/|$)", "/#", place)


def owners_of(truth: Node, version: str) -> dict[str, set[str]]:
    """Return for each token the names of what holds it: properties, and keys of maps."""
    found: dict[str, set[str]] = {}

    def walk(value: Value, names: set[str]) -> None:
        if isinstance(value, Node):
            for item in value.type.properties:
                if item.id in value.values:
                    walk(value.values[item.id], names | item.names())
            walk(value.extras, names | set(value.extras))
        elif isinstance(value, Row):
            for item in value.items:
                walk(item, names)
        elif isinstance(value, dict):
            for key, item in value.items():
                found[key] = names | {key}
                walk(item, found[key])
        else:
            found[str(value)] = names

    walk(truth, set())
    return found

"""Annotations that somebody has damaged: a review goes on, and no live value suffers."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from tests.random_groups.dice import Dice
from tests.random_groups.model import Json, Property, Type, types_below
from tests.random_groups.play import Play
from tests.random_groups.tokens import DOMAIN, places, unpacked
from tests.random_groups.values import Wrong

WRONG: tuple[Json, ...] = (5, "x", None, [], {}, [1], {"a": {"b": 1}}, True, [[{}]], [None], 1.5)


def damaged(document: Json, dice: Dice) -> Json:
    """Return a document with a damaged annotation, or as it is if it has none."""
    found = copy.deepcopy(document)
    annotations = (found.get("metadata") or {}).get("annotations") or {}
    keys = [key for key in annotations if key.startswith(DOMAIN)]
    if not keys:
        return found
    key = dice.pick(keys)
    text = unpacked(annotations[key])
    if dice.chance(15):
        annotations[key] = annotations[key][: dice.below(len(annotations[key]))]
        return found
    envelope = json.loads(text)
    for _ in range(1 + dice.below(2)):
        parts = list(holders(envelope))
        holder, name = dice.pick(parts)
        holder[name] = copy.deepcopy(dice.pick(WRONG))
    annotations[key] = json.dumps(envelope)
    return found


def holders(value: Any) -> list[tuple[Any, Any]]:
    """Return all places of a JSON value, deep ones first."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            found += holders(item)
        found.append((value, key))
    return found


def tables_in(type: Type) -> list[Property]:
    """Return all properties below a type that some version shows as maps, others as lists."""
    return [
        holder for inner, holder, _ in types_below(type) if holder is not None and inner.is_table()
    ]


def check_damage(play: Play, dice: Dice) -> None:
    """Send a damaged document and a sound one through a review."""
    goals = [version for version in play.group.versions if version != play.version]
    goal = dice.pick(goals)
    broken = damaged(play.document, dice)
    if broken == play.document:
        return
    play.note(f"somebody damages the annotation, then a review to {goal}", broken)
    api_version = play.group.api_version(goal)
    sound, _ = play.project.convert(play.document, goal)
    reply = play.project.review([play.document, broken], api_version)["response"]
    play.court.checks += 1
    if reply["result"]["status"] != "Success":
        raise Wrong("review", f"one damaged annotation fails the review: {reply['result']}")
    first, second = reply["convertedObjects"]
    if first != sound:
        raise Wrong("review", "a damaged neighbour changes a sound object")
    before = places(play.body(play.document))
    wanted = {token: place for token, place in places(play.body(sound)).items() if token in before}
    shown = places(play.body(second))
    # What a map shows has no order there: the order of the list is in the annotation.
    tables = [item.faces[goal].name for item in tables_in(play.truth.type) if goal in item.faces]

    def ordered(place: str) -> str:
        is_in_table = any(f"/{name}/" in place for name in tables)
        return re.sub(r"/\d+(?=/|$)", "", place) if is_in_table else place

    for token, place in wanted.items():
        if ordered(shown.get(token, "")) != ordered(place):
            raise Wrong("review", f"{token} was live, and a damaged annotation costs it")

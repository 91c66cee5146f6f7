"""Groups whose differences are declared, each beside the same one in which hooks make them.

A declaration does what two functions say, and names are only names. So whatever clients and API
servers do to three objects, one of a group with declarations, one of the same with two-way hooks,
and one of the same with odd names, all versions show the same of them.
`python -m tests.laws.paired_groups --groups 500 --seed 1` is the long run: it prints each
difference and the counts. `--first N --groups 1` repeats one of a seed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from holdall.scheme.scheme import Scheme
from tests.laws.long_run import play
from tests.laws.paired_model import FORMS, Face, Group, draw
from tests.random_groups.apiserver import admit

ODD: Final = (
    *("class", "None", "__init__", "property_bag", "extra_", "from_dict", "kind", "bag", "was"),
    *('a"b', "a\\b", "a\nb", "a/b", "~", "a.b", "*", "0", "é", "e\u0301", "spec", "id_"),
    *("$schema", "$ref", "$id"),
)
"""Names that are words of Python, of holdall, of JSON Pointers or of JSON Schema, or not ASCII."""


class Client:
    """Makes objects of a version and edits them, by what it sees."""

    def __init__(self, group: Group, random: Random) -> None:
        self._group, self._random = group, random
        self._keys = count(1)

    def new(self, version: int) -> Any:
        """Return a new object."""
        spec = {**self._members("ThingSpec", version), "last": "z", "box": self._boxes(version)}
        head = {"apiVersion": f"example.com/v{version + 1}", "kind": "Thing"}
        return {**head, "metadata": {"name": "t"}, "spec": spec}

    def edit(self, document: Any, version: int) -> None:
        """Change an object in place."""
        spec, random = document["spec"], self._random
        boxes = spec.get("box", [])
        elements = boxes if isinstance(boxes, list) else [*boxes.values()]
        if self._group.around == "":
            elements = [boxes] if boxes else []
        act = random.choice(["set", "set", "set", "list", "replace"])
        if act == "list" and isinstance(boxes, list):
            self._list(boxes, version)
        elif act == "replace":
            spec["box"] = self._boxes(version)
        else:
            held = [(spec, "ThingSpec"), *((box, "Box") for box in elements)]
            holder, type_ = random.choice(held)
            self._set(holder, type_, version)

    def _value(self, face: Face) -> Any:
        if face[2].get("nullable") and self._random.random() < 0.2:
            return None
        return deepcopy(self._random.choice(FORMS[face[1]].values))

    def _faces(self, type_: str, version: int) -> list[Face]:
        faces = (line.faces[version] for line in self._group.lines if line.type == type_)
        return [face for face in faces if face]

    def _members(self, type_: str, version: int) -> dict[str, Any]:
        faces = self._faces(type_, version)
        return {face[0]: self._value(face) for face in faces if self._random.random() < 0.8}

    def _box(self, version: int) -> Any:
        box = self._members("Box", version)
        if self._random.random() < 0.7:
            box["label"] = self._random.choice("abc")
        if self._group.around == "keyed list":
            box["name"] = f"k{next(self._keys)}"
        return box

    def _boxes(self, version: int) -> Any:
        if self._group.around == "":
            return self._box(version)
        boxes = [self._box(version) for _ in range(self._random.randint(0, 4))]
        return dict(zip("abcd", boxes, strict=False)) if self._group.around == "map" else boxes

    def _set(self, holder: Any, type_: str, version: int) -> None:
        if faces := self._faces(type_, version):
            face = self._random.choice(faces)
            holder.pop(face[0], None)
            if self._random.random() < 0.7:
                holder[face[0]] = self._value(face)

    def _list(self, boxes: Any, version: int) -> None:
        random = self._random
        act = random.choice(["shuffle", "remove", "copy", "add"])
        if act == "shuffle":
            random.shuffle(boxes)
        elif act == "remove" and boxes:
            boxes.pop(random.randrange(len(boxes)))
        elif act == "copy" and boxes and self._group.around == "list":
            boxes.append(deepcopy(random.choice(boxes)))
        elif act == "add":
            boxes.insert(random.randint(0, len(boxes)), self._box(version))


class Played:
    """An object of one group on its way through the versions, seen with the drawn names."""

    def __init__(self, title: str, group: Group, scheme: Scheme) -> None:
        self.title, self._scheme = title, scheme
        self._document: Any = None
        self._names = group.names
        self._drawn = {odd: name for name, odd in group.names.items()}

    def go(self, version: int) -> None:
        """Convert the object."""
        self._document = deepcopy(self._scheme.convert(self._document, to=f"v{version + 1}"))

    @property
    def spec(self) -> Any:
        """What the object shows."""
        return _renamed(self._document["spec"], self._drawn)

    def write(self, document: Any) -> None:
        """Write an object, with the bags that it had."""
        spec = _renamed(document["spec"], self._names)
        metadata = self._document["metadata"] if self._document else document["metadata"]
        self._document = {**document, "metadata": deepcopy(metadata), "spec": spec}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {names.get(name, name): _renamed(item, names) for name, item in value.items()}
    return value


def difference(group: Group, random: Random, objects: Sequence[Played]) -> str:
    """Play clients and API servers on all objects; return what differs, nothing if all is well."""
    client, at = Client(group, random), random.randrange(group.count)
    is_served = random.random() < 0.5
    document = client.new(at)
    trail: list[str] = []
    for _ in range(random.randint(2, 5)):
        if is_served:
            document = admit(document, group.schema(at))
        trail.append(json.dumps(document["spec"]))
        for one in objects:
            one.write(document)
        at = random.randrange(group.count)
        trail.append(f"v{at + 1}")
        for one in objects:
            one.go(at)
        shown = [json.dumps(one.spec, sort_keys=True) for one in objects]
        for one, text in zip(objects, shown, strict=True):
            if text != shown[0]:
                return f"{' -> '.join(trail)}: {shown[0]}, {one.title}: {text}"
        document = {**document, "apiVersion": f"example.com/v{at + 1}", "spec": objects[0].spec}
        for _ in range(random.choice([0, 1, 1, 2])):
            client.edit(document, at)
    return ""


def check_group(seed: str, root: Path, sequences: int = 12) -> Sequence[str]:
    """Draw a group, generate it in a folder, and return the differences that were found."""
    random = Random(seed)
    group = draw(random)
    names = sorted({face[0] for line in group.lines for face in line.faces if face})
    odd = replace(group, names=dict(zip(names, random.sample(ODD, len(names)), strict=True)))
    schemes = {
        "declared": (group, group.scheme(root / "declared", hooked=False)),
        "with hooks": (group, group.scheme(root / "hooked", hooked=True)),
        "with odd names": (odd, odd.scheme(root / "odd", hooked=random.random() < 0.5)),
    }
    found = []
    for number in range(sequences):
        objects = [Played(title, *known) for title, known in schemes.items()]
        found.append(difference(group, Random(f"{seed}-{number}"), objects))
    return [f"{group} {odd.names}: {text}" for text in found if text]


def _played(seed: str, root: Path, sequences: int) -> tuple[int, Sequence[str]]:
    return sequences, check_group(seed, root, sequences)


if __name__ == "__main__":
    sys.exit(play("paired_groups", _played, "sequences", 12, "sequences of edits for each"))

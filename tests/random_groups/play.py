"""One object lives through clients, conversions and an API server, and is judged each time."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from tests.random_groups.apiserver import admit, objects_of, prune_root
from tests.random_groups.clients import Client, copied
from tests.random_groups.dice import Dice
from tests.random_groups.draw import ValueDrawer
from tests.random_groups.judge import Court, Judge
from tests.random_groups.model import ABSENT, Group, Json, kind_schema
from tests.random_groups.tokens import BAG, DOMAIN, envelopes, is_carried
from tests.random_groups.tool import Project
from tests.random_groups.truth import Node, absorb_node, same, show_node
from tests.random_groups.values import Wrong, mark_made


@dataclass
class Play:
    """One object of a kind, in a project."""

    project: Project
    kind: str
    dice: Dice
    trace: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.group: Group = self.project.group
        self.court = Court(self.group.crds)
        self.drawer = ValueDrawer(self.dice, self.group.crds)
        self.schemas = {v: kind_schema(self.group, self.kind, v) for v in self.group.versions}
        self.truth = Node(self.group.kinds[self.kind])
        self.owners = copied(self.truth)
        self.version = ""
        self.document: Json = {}
        self.is_fresh = False  # nobody has changed the document since it was converted
        self.past: list[tuple[str, Json, Node]] = []  # what conversions made, and its owners

    # --- what happens ---

    def create(self, version: str) -> None:
        """Let a client create the object at a version."""
        self.version = version
        self.truth = self.drawer.node(self.group.kinds[self.kind], version)
        for item in self.truth.type.properties:  # a spec and a status always
            face = item.faces[version]
            value = self.truth.values.get(item.id)
            if value is None:
                made = self.drawer.value(item.kind, version, face, face.name)
                self.truth.values[item.id] = made
        self.owners = copied(self.truth)
        self.write(f"create at {version}", self.metadata())
        self.store()

    def metadata(self) -> Json:
        """Return metadata as clients write them."""
        if not self.group.crds:
            return None
        kinds: tuple[Json, ...] = (
            {"name": "x"},
            {"name": "x", "annotations": {"own": "1"}, "labels": {"l": "é"}},
            {"name": "x", "annotations": {}},
        )
        return self.dice.pick(kinds)

    def step(self) -> None:
        """Let something happen to the object."""
        if self.dice.chance(25):
            self.check_round_trip()
        if self.group.crds and self.dice.chance(10):
            self.check_unpruned()
        goal = self.dice.pick(self.group.versions)
        if not self.group.crds:
            self.convert(goal)
            if self.dice.chance(70):
                self.edit()
            return
        self.read(goal)
        if self.dice.chance(85):
            self.edit()
        else:
            self.write(f"put back at {self.version}", self.document.get("metadata"))
        self.store()

    def edit(self) -> None:
        """Let a client change the object at the version that it has read."""
        client = Client(self.dice, self.drawer, self.version)
        parts = [value for value in self.truth.values.values() if isinstance(value, Node)]
        part = self.dice.pick(parts) if parts else self.truth
        done = client.write(part)
        metadata = self.document.get("metadata")
        self.write(f"client at {self.version}: {'; '.join(done)}", metadata)
        past = [one for one in self.past if one[0] == self.version]
        if past and self.dice.chance(8):
            self.carry(*self.dice.pick(past)[1:])

    def carry(self, old: Json, owners: Node) -> None:
        """Let a client put the carriers of an earlier document into this one, as a copied file has.

        What they hold belongs to the elements as they were then.
        """
        made = self.document
        for document in (made, made.get("status")):
            if isinstance(document, dict):
                document.pop(BAG, None)
        if BAG in old:
            made[BAG] = old[BAG]
        status, slot = made.get("status"), (old.get("status") or {}).get(BAG)
        if isinstance(status, dict) and slot is not None:
            status[BAG] = slot
        if self.group.crds:
            annotations = (old["metadata"].get("annotations") or {}).items()
            carriers = {key: item for key, item in annotations if key.startswith(DOMAIN)}
            own = self.own_metadata(made).get("annotations", {})
            made["metadata"]["annotations"] = own | carriers
        self.owners = copied(owners)
        self.note("  with the carriers of an earlier document")

    # --- the machinery ---

    def write(self, what: str, metadata: Json) -> None:
        """Make the document of the truth at the present version; the server admits it."""
        head: Json = {"apiVersion": self.group.api_version(self.version), "kind": self.kind}
        head |= {"metadata": copy.deepcopy(metadata)} if metadata is not None else {}
        made = head | show_node(self.truth, self.version, self.group.crds)
        old = self.document
        if BAG in old:
            made[BAG] = old[BAG]
        status = old.get("status")
        if isinstance(status, dict) and BAG in status and isinstance(made.get("status"), dict):
            made["status"][BAG] = status[BAG]
        self.document = made
        self.is_fresh = False
        self.note(what)
        self.admit()

    def admit(self) -> None:
        """Let the server prune and default the document, if there is a server."""
        if not self.group.crds:
            return
        found = admit(self.document, self.schemas[self.version])
        if found != self.document:
            self.document = found
            self.is_fresh = False
            self.note("  as the server defaults it")
            self.truth = absorb_node(self.truth, self.body(found), self.version, True)

    def store(self) -> None:
        """Convert the document to the storage version, if there is a server."""
        if self.group.crds:
            self.convert(self.group.hub)

    def read(self, goal: str) -> None:
        """Read the stored object at a version."""
        self.admit()
        self.convert(goal)

    def settle(self) -> None:
        """Let a conversion find out what clients have changed since the last one."""
        if not self.is_fresh:
            self.read(next(v for v in self.group.versions if v != self.version))
            self.store()

    def convert(self, goal: str) -> None:
        """Convert the document and judge what comes out."""
        if goal == self.version:
            return
        found, told = self.project.convert(self.document, goal)
        self.note(f"converted to {goal}" + "".join(f"\n    reported: {one}" for one in told), found)
        self.court.hear(told)
        if self.is_fresh and told:
            raise Wrong("report", f"nobody changed anything, but {told}")
        if self.group.crds:
            found = prune_root(found, self.schemas[goal])
        self.check_head(found, goal)
        judge = Judge(self.court, self.version, goal, self.group.between(self.version, goal))
        self.truth = judge.object(self.truth, self.owners, self.body(found), "")
        if not same(show_node(self.truth, goal, self.group.crds), self.body(found)):
            # Objects that conversions leave empty, for what moves, are there for clients, too.
            before = self.truth
            self.truth = absorb_node(before, self.body(found), goal, self.group.crds)
            mark_made(self.truth, before)
        self.owners = copied(self.truth)
        self.document, self.version, self.is_fresh = found, goal, True
        self.past.append((goal, found, copied(self.truth)))

    def check_head(self, found: Json, goal: str) -> None:
        """Compare what is not a part of spec and status."""
        head = (found.get("apiVersion"), found.get("kind"))
        if head != (self.group.api_version(goal), self.kind):
            raise Wrong("head", f"the head is {head}")
        if not same(self.own_metadata(self.document), self.own_metadata(found)):
            raise Wrong("metadata", f"{self.document.get('metadata')} is {found.get('metadata')}")

    def own_metadata(self, document: Json) -> Json:
        """Return metadata without carriers; annotations that a carrier made count as none."""
        metadata = document.get("metadata", ABSENT)
        if not isinstance(metadata, dict) or not metadata.get("annotations"):
            if isinstance(metadata, dict):
                return {key: item for key, item in metadata.items() if key != "annotations"}
            return metadata
        own = {
            key: item for key, item in metadata["annotations"].items() if not key.startswith(DOMAIN)
        }
        rest = {key: item for key, item in metadata.items() if key != "annotations"}
        return rest | ({"annotations": own} if own else {})

    def body(self, document: Json) -> Any:
        """Return a document without its head and its carriers."""
        found = {
            key: copy.deepcopy(item)
            for key, item in document.items()
            if key not in ("apiVersion", "kind", "metadata", BAG)
        }
        if isinstance(found.get("status"), dict):
            found["status"].pop(BAG, None)
        return found

    def check_round_trip(self) -> None:
        """Take the document through some versions and back: it must be the same again."""
        start, found = self.version, self.document
        way = [self.dice.pick(self.group.versions) for _ in range(1 + self.dice.below(3))]
        losses = False
        for goal in [*way, start]:
            found, told = self.project.convert(found, goal)
            losses = losses or bool(told)
        if self.is_fresh:
            self.compare(found, self.document, f"round trip {start} by {way}")
        direct, _ = self.project.convert(self.document, way[-1])
        if self.group.edges == "chain":
            low, high = sorted((start, way[-1]))
            for version in self.group.versions:
                if low < version < high:
                    half, _ = self.project.convert(self.document, version)
                    whole, _ = self.project.convert(half, way[-1])
                    self.compare(whole, direct, f"{start} to {way[-1]}, directly and by {version}")

    def check_unpruned(self) -> None:
        """Take a document with undeclared members that no server prunes to versions and back."""
        start, document = self.version, copy.deepcopy(self.document)
        declared = self.schemas[start]["properties"]
        parts = [name for name in ("spec", "status") if name in document]
        places = [one for name in parts for one in objects_of(document[name], declared[name])]
        if not places:
            return
        names = []
        for _ in range(1 + self.dice.below(3)):
            names.append(f"x{self.drawer.token('x')}")
            self.dice.pick(places)[names[-1]] = self.drawer.token("E")
        self.trace.append(f"  a document that no server prunes\n    {dump(document)}")
        way = [self.dice.pick(self.group.versions) for _ in range(1 + self.dice.below(3))]
        found = before = document
        for turn in range(2):  # what is new in an element may cost what it hid, but only once
            before = found
            for goal in [*way, start]:
                found, told = self.project.convert(found, goal)
                self.trace.append(f"    at {goal}\n    {dump(found)}")
                shown, texts = dump(self.body(found)), envelopes(found)
                lost = [name for name in names if name not in shown and not is_carried(name, texts)]
                if lost or (told and turn):
                    raise Wrong("unpruned", f"{lost} are lost at {goal}, reported are {told}")
        self.compare(found, before, f"unpruned {start} by {way}")

    def compare(self, one: Json, other: Json, what: str) -> None:
        """Demand that two documents are the same."""
        self.court.checks += 1
        pairs = [(self.body(one), self.body(other)), tuple(map(self.own_metadata, (one, other)))]
        if not all(same(*pair) for pair in pairs):
            raise Wrong("law", f"{what}:\n    {dump(one)}\n    {dump(other)}")

    def note(self, what: str, document: Json = None) -> None:
        """Write down what happened."""
        self.trace.append(f"{what}\n    {dump(self.document if document is None else document)}")


def dump(value: Json) -> str:
    """Return a document as one line."""
    return json.dumps(value, ensure_ascii=False)

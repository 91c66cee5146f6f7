"""What schema edits mean for stored objects: two states of a schema for every kind of edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

import holdall
from holdall_codegen.output.generation import new_plans
from holdall_codegen.project import load_project
from holdall_codegen.views.stored import Touched
from holdall_codegen.views.stored_report import classes, lines, report_stored
from tests.support.notation import expanded
from tests.support.projects import build_project, scheme_of
from tests.support.schema_states import State, sample


def touched(root: Path, before: State, after: State) -> tuple[Touched, ...]:
    """Return what the way from one state to another touches."""
    old = new_plans(load_project(before.write(root / "before")))
    project = load_project(after.write(root / "after"))
    return report_stored(project, old, new_plans(project)).get("shop", ())


BASE: dict[str, Any] = {"v1": {"size": "integer", "tier": "string"}, "v2": {"size": "integer"}}


def state_of(parts: dict[str, Any]) -> State:
    """Return a state in the notation of schemas: what `spec` has by version, and the rest."""
    parts = {name: part for name, part in parts.items() if part is not None}
    versions = {name: part for name, part in parts.items() if name in ("v1", "v1b", "v2", "v3")}
    between = {name: part for name, part in parts.items() if " -> " in name}
    return State(
        {name: expanded(part)["properties"] for name, part in versions.items()},
        between="\n      ".join(f"{edge}: {json.dumps(one)}" for edge, one in between.items()),
        **{name: part for name, part in parts.items() if name not in {*versions, *between}},
    )


def edit_of(row: dict[str, Any]) -> tuple[State, State, list[str]]:
    """Return the states before and after an edit, and what is found.

    Before it is `BASE` unless the row says something else; what `edit` says is instead of what was.
    """
    before = row.get("before", BASE)
    after = row["after"] if "after" in row else {**before, **row["edit"]}
    return state_of(before), state_of(after), row.get("found", [])


_EDITS = """
nothing:
  edit: {}
a property of no stored entry:
  edit: {v1: {size: integer, tier: string, new: string}}
a version gains the property:
  edit: {v2: {size: integer, tier: string}}
  found: ["used: Order stored at v2: /spec v1/tier: v2.OrderSpec now has it"]
a version gains it renamed:
  edit: {v2: {size: integer, level: string}, v1 -> v2: {OrderSpec: {tier: level}}}
  found: ["used: Order stored at v2: /spec v1/tier: v2.OrderSpec now has level"]
a rename is declared:
  before: {v1: {size: integer, tier: string}, v2: {size: integer, level: string}}
  edit: {v1 -> v2: {OrderSpec: {tier: level}}}
  found:
    - "used: Order stored at v1: /spec v2/level: v1.OrderSpec now has tier"
    - "used: Order stored at v2: /spec v1/tier: v2.OrderSpec now has level"
a version that other ones hid undeclared members of is gone:
  before: {v1: {size: integer, tier: string}, v2: {size: integer, level: string},
    v3: {size: integer}, api_group: ""}
  after: {v1: {size: integer, tier: string}, v2: {size: integer, level: string}, api_group: ""}
  found:
    - "kept: Order stored at v1, v2: /spec v3/level: v3 is gone"
    - "unread: Order stored at v3: all objects: the version is gone"
a version whose undeclared members a server pruned is gone:
  before: {v1: {size: integer, tier: string}, v2: {size: integer, level: string},
    v3: {size: integer}}
  after: {v1: {size: integer, tier: string}, v2: {size: integer, level: string}}
  found: ["unread: Order stored at v3: all objects: the version is gone"]
a hook has nothing to claim any more:
  before: {v1: {mode: string, size: integer}, v2: {mode: [string], size: integer},
    v1 -> v2: {OrderSpec: {mode: {strategy: hook}}}}
  edit: {v2: {size: integer}, v1 -> v2: null}
  found:
    - "kept: Order stored at v1: /spec v2/residue:mode: no hook claims its property any more"
    - "pruned: Order stored at v2: /spec mode: v2.OrderSpec no longer declares it"
    - "kept: Order stored at v2: /spec v1/residue:mode: no hook claims its property any more"
a hook still claims what it did:
  before: {v1: {mode: string}, v2: {modes: [string], size: integer},
    v1 -> v2: {OrderSpec: {mode: {rename: modes, strategy: hook}}}}
  edit: {v2: {modes: [string], size: integer, more: string}}
a version comes between the two of a hook, and has the same as one of them:
  before: {v1: {mode: string}, v2: {mode: [string]},
    v1 -> v2: {OrderSpec: {mode: {strategy: hook}}}}
  after: {v1: {mode: string}, v1b: {mode: [string]}, v2: {mode: [string]},
    v1 -> v1b: {OrderSpec: {mode: {strategy: hook}}}}
a version comes between the two of a hook, and has another name for it:
  before: {v1: {mode: string}, v2: {mode: [string]},
    v1 -> v2: {OrderSpec: {mode: {strategy: hook}}}}
  after: {v1: {mode: string}, v1b: {mode: [string]}, v2: {mode: string},
    v1 -> v1b: {OrderSpec: {mode: {strategy: hook}}},
    v1b -> v2: {OrderSpec: {mode: {wrap: true}}}}
  found:
    - "kept: Order stored at v1: /spec v2/residue:mode: its hook claims what v1b.OrderSpec now has"
    - "unfit: Order stored at v2: /spec mode: v2.OrderSpec now has another type for it"
a hook gives way to a declaration:
  before: {v1: {mode: string}, v2: {modes: [string]},
    v1 -> v2: {OrderSpec: {mode: {rename: modes, strategy: hook}}}}
  edit: {v1 -> v2: {OrderSpec: {mode: {rename: modes, wrap: true}}}}
  found:
    - "kept: Order stored at v1: /spec v2/residue:*: no hook claims its property any more"
    - "kept: Order stored at v2: /spec v1/residue:mode: no hook claims its property any more"
another member stands for an object:
  before: {v1: {owner: string}, v2: {owner: {a: string, b: string}},
    v1 -> v2: {OrderSpec: {owner: {reference: a}}}}
  edit: {v1 -> v2: {OrderSpec: {owner: {reference: b}}}}
  found:
    - "checked: Order stored at v1: /spec v2/owner: it is now converted differently"
    - "checked: Order stored at v2: /spec v1/owner: it is now converted differently"
the first element of a list becomes open JSON:
  before: {v1: {box: [{a: string}]}, v2: {box: {a: string}},
    v1 -> v2: {OrderSpec: {box: {wrap: true}}}}
  edit: {v2: {box: any}, v1 -> v2: null}
  found:
    - "checked: Order stored at v1: /spec v2/box: it is now converted differently"
    - "checked: Order stored at v2: /spec v1/box: it is now converted differently"
a property less in what a bag keeps:
  before: {v1: {box: {a: string, b: string}}, v2: {size: integer}}
  edit: {v1: {box: {a: string}}}
  found:
    - "pruned: Order stored at v1: /spec/box b: v1.Box no longer declares it"
    - "extra: Order stored at v2: /spec/$propertyBag/v1/box b: v1.Box no longer declares it"
a rename is no longer declared:
  before: {v1: {size: integer, tier: string}, v2: {size: integer, level: string},
    v1 -> v2: {OrderSpec: {tier: level}}}
  edit: {v1 -> v2: null}
a move is declared:
  before: {v1: {box: {a: string, b: string}}, v2: {box: {a: string}, b: string}}
  edit: {v1 -> v2: {OrderSpec: {box/b: {move: b}}}}
  found:
    - "used: Order stored at v1: /spec v2/b: v1.OrderSpec now has box/b"
    - "used: Order stored at v2: /spec/box v1/b: v2.OrderSpec now has it"
a move within elements is declared:
  before:
    v1: {items: [{box: {a: string, b: string}}]}
    v2: {items: [{box: {a: string}, b: string}]}
  edit: {v1 -> v2: {Item: {box/b: {move: b}}}}
  found:
    - "used: Order stored at v1: /spec/items/* v2/b: v1.Item now has box/b"
    - "used: Order stored at v2: /spec/items/*/box v1/b: v2.Item now has it"
a version that has it is put in between:
  after: {v1: {size: integer, tier: string}, v1b: {size: integer, tier: string},
    v2: {size: integer}}
  found: ["used: Order stored at v2: /spec v1/tier: v1b.OrderSpec now has it"]
a version that lacks it is put in between:
  after: {v1: {size: integer, tier: string}, v1b: {size: integer}, v2: {size: integer}}
a version with it comes last:
  edit: {v3: {size: integer, tier: string}}
of three versions the last one gains it:
  before: {v1: {size: integer, tier: string}, v2: {size: integer}, v3: {size: integer}}
  edit: {v3: {size: integer, tier: string}}
  found: ["used: Order stored at v3: /spec v1/tier: v3.OrderSpec now has it"]
of three versions the middle one gains it:
  before: {v1: {size: integer, tier: string}, v2: {size: integer}, v3: {size: integer}}
  edit: {v2: {size: integer, tier: string}}
  found: ["used: Order stored at v2, v3: /spec v1/tier: v2.OrderSpec now has it"]
the origin loses the property:
  edit: {v1: {size: integer}}
  found:
    - "pruned: Order stored at v1: /spec tier: v1.OrderSpec no longer declares it"
    - "kept: Order stored at v2: /spec v1/tier: v1.OrderSpec no longer has it"
the origin gives it another type:
  edit: {v1: {size: integer, tier: integer}}
  found:
    - "unfit: Order stored at v1: /spec tier: v1.OrderSpec now has another type for it"
    - "unfit: Order stored at v2: /spec v1/tier: v1.OrderSpec now has another type for it"
a wider type:
  before: {v1: {tier: integer}, v2: {other: string}}
  edit: {v1: {tier: number}}
a version loses a property:
  edit: {v2: {other: string}}
  found: ["pruned: Order stored at v2: /spec size: v2.OrderSpec no longer declares it"]
a version that keeps unknown members loses one:
  before: {v1: {size: integer, tier: string}, v2: {size: integer},
    spec: {x-kubernetes-preserve-unknown-fields: true}}
  edit: {v2: {other: string}}
  found: ["extra: Order stored at v2: /spec size: v2.OrderSpec no longer declares it"]
a plain document loses a property:
  before: {v1: {size: integer, tier: string}, v2: {size: integer}, api_group: ""}
  edit: {v2: {other: string}}
  found: ["extra: Order stored at v2: /spec size: v2.OrderSpec no longer declares it"]
a version is removed:
  edit: {v1: null}
  found:
    - "unread: Order stored at v1: all objects: the version is gone"
    - "kept: Order stored at v2: /spec v1/tier: v1 is gone"
a version is for conversions only from now on:
  edit: {internal: "{name: v1, internal: true, like: v2}", v1: null}
  found:
    - "unread: Order stored at v1: all objects: the version is now internal"
    - "kept: Order stored at v2: /spec v1/tier: v1.OrderSpec no longer has it"
the kind is gone:
  edit: {kind: Basket}
  found: ["unread: Order stored at v1, v2: all objects: the kind is gone"]
the carrier changes:
  edit: {more: "carrier: field"}
  found: ["unread: Order stored at v1, v2: all bags: the carrier was annotation and is now field"]
the carrier is given up:
  edit: {more: "carrier: none"}
  found: ["unread: Order stored at v1, v2: all bags: the carrier was annotation and is now none"]
the carrier of kinds without entries changes:
  before: {v1: {size: integer}, v2: {size: integer}}
  edit: {more: "carrier: field"}
there was no carrier:
  before: {v1: {size: integer, tier: string}, v2: {size: integer}, more: "carrier: none"}
  edit: {v2: {size: integer, tier: string}}
the group has another name:
  edit: {api_group: store.example.com}
  found:
    - "dropped: Order stored at v1, v2: all bags: they were written for the group
      shop.example.com, which is now store.example.com"
an object becomes open JSON:
  before: {v1: {box: {a: string, b: string}}, v2: {box: {a: string}}}
  edit: {v2: {box: any}}
  found: ["dropped: Order stored at v2: /spec/box v1/b: v2 has no object of this type now"]
members of open JSON are declared:
  before: {v1: {box: any}, v2: {box: {a: string}}}
  edit: {v2: {box: {a: string, b: string, c: {d: string}}}}
  found: ["used: Order stored at v2: /spec/box v2/b, v2/c: v2.Box now declares it"]
an object becomes open JSON on both sides:
  before: {v1: {box: any}, v2: {box: {a: string}}}
  edit: {v2: {box: any}}
  found:
    - "checked: Order stored at v1: /spec v2/box: it is now converted differently"
    - "checked: Order stored at v2: /spec v1/box: it is now converted differently"
    - "dropped: Order stored at v2: /spec/box v2/*: v2 has no object of this type now"
an object keeps all members of open JSON:
  before: {v1: {box: any}, v2: {box: {a: string}}}
  edit: {v2: {box: {a: string, $x-kubernetes-preserve-unknown-fields: true}}}
  found: ["used: Order stored at v2: /spec/box v2/*: v2.Box now keeps all members"]
members are declared where nothing is pruned:
  before: {v1: {box: any}, v2: {box: {a: string}}, api_group: ""}
  edit: {v2: {box: {a: string, b: string}}}
values are renamed in another way:
  before: {v1: {sku: a|b}, v2: {sku: a|b}, v1 -> v2: {OrderSpec: {sku: {values: {a: b}}}}}
  edit: {v1 -> v2: {OrderSpec: {sku: {values: {b: a}}}}}
  found:
    - "checked: Order stored at v1: /spec v2/sku: it is now converted differently"
    - "checked: Order stored at v2: /spec v1/sku: it is now converted differently"
a property that returned is another one now:
  before: {v1: {size: integer, tier: string}, v2: {size: integer},
    v3: {size: integer, tier: string}}
  edit: {v1 -> v3: {OrderSpec: {tier: {not_same: true}}}}
a property that was another one returns:
  before: {v1: {size: integer, tier: string}, v2: {size: integer},
    v3: {size: integer, tier: string}, v1 -> v3: {OrderSpec: {tier: {not_same: true}}}}
  edit: {v1 -> v3: null}
  found:
    - "used: Order stored at v1: /spec v3/tier: v1.OrderSpec now has it"
    - "used: Order stored at v3: /spec v1/tier: v3.OrderSpec now has it"
a property is kept apart no longer:
  before: {v1: {tier: string}, v2: {tier: string},
    v1 -> v2: {OrderSpec: {tier: {strategy: stash}}}}
  edit: {v1 -> v2: null}
  found:
    - "used: Order stored at v1: /spec v2/tier: v1.OrderSpec now has it"
    - "used: Order stored at v2: /spec v1/tier: v2.OrderSpec now has it"
a hook claims a property:
  before: {v1: {tier: string}, v2: {tier: string},
    v1 -> v2: {OrderSpec: {tier: {strategy: stash}}}}
  edit: {v1 -> v2: {OrderSpec: {tier: {strategy: hook}}}}
  found:
    - "used: Order stored at v1: /spec v2/tier: a hook now claims it"
    - "used: Order stored at v2: /spec v1/tier: a hook now claims it"
what was converted with a loss has no partner any more:
  before: {v1: {size: number}, v2: {size: integer}}
  edit: {v2: {count: integer}}
  found:
    - "kept: Order stored at v1: /spec v2/size: v2.OrderSpec no longer has it"
    - "pruned: Order stored at v2: /spec size: v2.OrderSpec no longer declares it"
    - "used: Order stored at v2: /spec v1/size: v2 no longer has a partner of it"
the versions are joined in another way:
  before: {v1: {size: integer, tier: string}, v2: {size: integer}, v3: {size: integer}}
  edit: {more: "edges: star"}
a type has another name:
  before: {v1: {box: {a: string, b: string}}, v2: {box: {a: string}}}
  edit: {v1: {box: {a: string, b: string, $title: Case}}, v2: {box: {a: string, $title: Case}}}
"objects in a map, and objects at two places":
  before:
    v1: {one: {a: string, b: string}, map: {"*": {a: string, b: string}}}
    v2: {one: {a: string}, map: {"*": {a: string}}}
  edit: {v2: {one: {a: string, b: string}, map: {"*": {a: string, b: string}}}}
  found:
    - "used: Order stored at v2: /spec/map/* v1/b: v2.Map now has it"
    - "used: Order stored at v2: /spec/one v1/b: v2.One now has it"
the keys of a list change:
  before:
    v1:
      items: {$: [{port: integer, protocol: string, secret: string}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port]}
    v2:
      items: {$: [{port: integer, protocol: string}], $x-kubernetes-list-type: map,
        $x-kubernetes-list-map-keys: [port]}
  edit:
    v1:
      items: {$: [{port: integer, protocol: string, secret: string}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port, protocol]}
    v2:
      items: {$: [{port: integer, protocol: string}], $x-kubernetes-list-type: map,
        $x-kubernetes-list-map-keys: [port, protocol]}
  found:
    - "found: Order stored at v2: /spec/items: its keys were port, and are now port, protocol"
a list gets keys:
  before:
    v1: {items: [{port: integer, protocol: string, secret: string}]}
    v2: {items: [{port: integer, protocol: string}]}
  edit:
    v1:
      items: {$: [{port: integer, protocol: string, secret: string}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port]}
    v2:
      items: {$: [{port: integer, protocol: string}], $x-kubernetes-list-type: map,
        $x-kubernetes-list-map-keys: [port]}
  found: ["found: Order stored at v2: /spec/items: its keys were none, and are now port"]
the keys of a list without entries change:
  before:
    v1:
      items: {$: [{port: integer, protocol: string}], $x-kubernetes-list-type: map,
        $x-kubernetes-list-map-keys: [port]}
    v2:
      items: {$: [{port: integer, protocol: string}], $x-kubernetes-list-type: map,
        $x-kubernetes-list-map-keys: [port]}
  edit:
    v1: {items: [{port: integer, protocol: string}]}
    v2: {items: [{port: integer, protocol: string}]}
the default of an element's member changes:
  before:
    v1: {items: [{port: integer, mode: {$: string, $default: rw}, secret: string}]}
    v2: {items: [{port: integer, mode: {$: string, $default: rw}}]}
  edit:
    v1: {items: [{port: integer, mode: {$: string, $default: ro}, secret: string}]}
    v2: {items: [{port: integer, mode: {$: string, $default: ro}}]}
  found:
    - "found: Order stored at v2: /spec/items: its elements are matched by content, and
      the default of v2.Item mode has changed"
the default of a member in an element's object changes:
  before:
    v1: {items: [{box: {mode: {$: string, $default: rw}}, secret: string}]}
    v2: {items: [{box: {mode: {$: string, $default: rw}}}]}
  edit:
    v1: {items: [{box: {mode: string}, secret: string}]}
    v2: {items: [{box: {mode: string}}]}
  found:
    - "found: Order stored at v2: /spec/items: its elements are matched by content, and
      the default of v2.Box mode has changed"
the default of another member than the key changes:
  before:
    v1:
      items: {$: [{port: integer, mode: {$: string, $default: rw}, secret: string}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port]}
    v2:
      items: {$: [{port: integer, mode: {$: string, $default: rw}}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port]}
  edit:
    v1:
      items: {$: [{port: integer, mode: {$: string, $default: ro}, secret: string}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port]}
    v2:
      items: {$: [{port: integer, mode: {$: string, $default: ro}}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port]}
the default of a key changes:
  before:
    v1:
      items: {$: [{port: integer, mode: {$: string, $default: rw}, secret: string}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port, mode]}
    v2:
      items: {$: [{port: integer, mode: {$: string, $default: rw}}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port, mode]}
  edit:
    v1:
      items: {$: [{port: integer, mode: {$: string, $default: ro}, secret: string}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port, mode]}
    v2:
      items: {$: [{port: integer, mode: {$: string, $default: ro}}],
        $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [port, mode]}
  found:
    - "found: Order stored at v2: /spec/items: the default of its key mode has changed"
elements lose a member:
  before:
    v1: {items: [{port: integer, protocol: string, secret: string}]}
    v2: {items: [{port: integer, protocol: string}]}
  edit: {v1: {items: [{port: integer, secret: string}]}, v2: {items: [{port: integer}]}}
  found:
    - "pruned: Order stored at v1: /spec/items/* protocol: v1.Item no longer declares it"
    - "pruned: Order stored at v2: /spec/items/* protocol: v2.Item no longer declares it"
    - "found: Order stored at v2: /spec/items: its elements are matched by content, and
      v2.Item no longer has protocol"
"""
EDITS = {name: edit_of(row) for name, row in yaml.safe_load(_EDITS).items()}
GAINED = EDITS["a version gains the property"][:2]


Changed = Callable[[str], tuple[Touched, ...]]


@pytest.fixture(scope="module")
def touched_by(tmp_path_factory: pytest.TempPathFactory) -> Changed:
    """What an edit touches, by its name."""
    return cache(lambda name: touched(tmp_path_factory.mktemp("edit"), *EDITS[name][:2]))


@pytest.mark.parametrize("edit", EDITS)
def test_edits(touched_by: Changed, edit: str) -> None:
    """Each edit names what is stored and touched by it, what becomes of it, and nothing else."""
    assert list(classes({"shop": touched_by(edit)})) == EDITS[edit][2]


# --- what is said is what happens ---


def place_of(path: str) -> tuple[str, ...]:
    """Return the place of an address or of a touched entry, for a comparison of both."""
    steps = path.strip("/").split("/")
    return tuple("*" if step.startswith("[") or step == "k" else step for step in steps)


def found_at(spec: Any, place: tuple[str, ...], name: str) -> list[Any]:
    """Return the values of a property of all objects at a place."""
    found = [{"spec": spec}]
    for step in place:
        if step == "*":
            found = [
                item for one in found for item in (one.values() if isinstance(one, dict) else one)
            ]
        else:
            found = [one[step] for one in found if step in one]
    return [one.get(name) for one in found if isinstance(one, dict)]


@pytest.mark.parametrize("edit", [name for name in EDITS if "hook" not in name])
def test_what_is_said_happens(tmp_path: Path, touched_by: Changed, edit: str) -> None:
    """Every entry that the older code put away is, under the newer one, what is said of it.

    What nothing is said of comes back as it was, or passes through if its version did so before.
    """
    before, after, _ = EDITS[edit]
    said = touched_by(edit)
    old, new = (
        scheme_of(build_project(tmp_path / name, state.config(), state.files()))
        for name, state in (("older", before), ("newer", after))
    )
    group = f"{before.api_group}/" if before.api_group else ""
    for origin, stored in permutations(before.versions, 2):
        document = {
            "apiVersion": f"{group}{origin}",
            "kind": before.kind,
            "metadata": {"name": "a"},
            "spec": sample(before.schema(origin)["properties"]["spec"]),
        }
        kept = old.convert(document, to=stored)
        entries = [entry for entry in holdall.audit(kept) if entry.origin == origin]
        alike = [item for item in said if stored in item.stored]
        if stored not in after.versions or any(
            item.subject in ("objects", "bags") for item in alike
        ):
            continue
        to = origin if origin in after.versions else stored
        for entry in entries:
            words = {
                item.becomes
                for item in alike
                if (item.origin, item.property) == (origin, entry.property)
                and place_of(item.path) == place_of(entry.path)
            }
            report: list[Any] = []
            result = new.convert(kept, to=to, report=report)
            still = {(one.origin, one.property) for one in holdall.audit(result)}
            place = place_of(entry.path)
            ends = [found_at(one["spec"], place, entry.property) for one in (document, result)]
            in_report = [one for one in report if one.key == entry.property]
            lost_elements = any(item.subject == "elements" for item in alike)
            if words == {"kept"}:
                assert (origin, entry.property) in still
            elif words == {"dropped"}:
                assert in_report
            elif words == {"checked"} or lost_elements:
                assert ends[0] == ends[1] or in_report
            else:
                assert words <= {"used", "unfit"}
                assert ends[0] == ends[1]


def test_an_undeclared_member_of_a_version_that_is_gone(tmp_path: Path) -> None:
    """What is said of it happens: it passes through, and nothing shows it."""
    before, after, _ = EDITS["a version that other ones hid undeclared members of is gone"]
    old, new = (
        scheme_of(build_project(tmp_path / name, state.config(), state.files()))
        for name, state in (("older", before), ("newer", after))
    )
    document = {"apiVersion": "v3", "kind": "Order", "spec": {"size": 1, "level": "high"}}
    for stored, other in permutations(("v1", "v2")):
        kept = old.convert(document, to=stored)
        there = new.convert(kept, to=other)
        for one in (kept, there):
            entries = [(entry.origin, entry.property) for entry in holdall.audit(one)]
            assert (entries, one["spec"]) == ([("v3", "level")], {"size": 1})


def test_alike_in_one_line(tmp_path: Path) -> None:
    """What is touched alike is one line, which names a few and counts the others."""
    more = {f"p{number}": "string" for number in range(6)}
    after = {"v2": BASE["v2"], "v3": BASE["v2"]}
    before = {"v1": BASE["v1"] | more, **after}
    found = touched(tmp_path, state_of(before), state_of(after))
    assert list(classes({"shop": found})) == [
        "unread: Order stored at v1: all objects: the version is gone",
        "kept: Order stored at v2, v3: /spec v1/p0, v1/p1, v1/p2, v1/p3, 3 more: v1 is gone",
    ]


def test_internal_versions_store_nothing(tmp_path: Path) -> None:
    """No object is stored at a version that is for conversions only."""
    internal = "{name: v2, internal: true, like: v1}"
    before, after = (state_of({"v1": spec, "internal": internal}) for spec in BASE.values())
    assert {item.stored for item in touched(tmp_path, before, after)} == {("v1",)}


def test_every_word_has_a_remedy(tmp_path: Path) -> None:
    """Below the lines stands what each first word means, when to act, and what to run."""
    found = touched(tmp_path, *GAINED)
    assert list(lines({"shop": found})) == [
        "used: Order stored at v2: /spec v1/tier: v2.OrderSpec now has it",
        "(used) used if the live object has no value there, else dropped and reported;"
        " after the change: holdall migrate --apply",
    ]


def test_as_json(tmp_path: Path) -> None:
    """As JSON, each entry has its versions, its place, and what to run."""
    (found,) = touched(tmp_path, *GAINED)
    assert found.value() == {
        "subject": "entry",
        "kind": "Order",
        "stored": ["v2"],
        "path": "/spec",
        "type": "OrderSpec",
        "origin": "v1",
        "property": "tier",
        "becomes": "used",
        "why": "v2.OrderSpec now has it",
        "when": "after",
        "run": ["holdall migrate --apply"],
    }


@pytest.mark.parametrize("value", [2.5, 2.0, "text", None])
def test_values_that_the_place_of_a_move_cannot_show(tmp_path: Path, value: Any) -> None:
    """An older entry that a move takes along stays whole, whatever its new place can show."""
    versions = {
        "v1": {"box": {"a": "string", "b": "number"}},
        "v2": {"box": {"a": "string"}, "b": "integer"},
    }
    before = state_of(versions)
    after = state_of({**versions, "v1 -> v2": {"OrderSpec": {"box/b": {"move": "b"}}}})
    old, new = (
        scheme_of(build_project(tmp_path / name, state.config(), state.files()))
        for name, state in (("older", before), ("newer", after))
    )
    spec = {"box": {"a": "x", "b": value}}
    document = {"apiVersion": "shop.example.com/v1", "kind": "Order", "spec": spec}
    # The first entry must not decide about those after it.
    for other in ("unfit", 7.5, value):
        spec["box"]["b"] = other
        assert new.convert(old.convert(document, to="v2"), to="v1")["spec"] == spec

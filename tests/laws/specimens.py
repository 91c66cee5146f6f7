"""Small literal groups, each for one feature or for features that meet.

A group has its types by version, in the notation of `tests.support.notation`, and what is declared
between two versions. The kind is `Thing`, with metadata and a `Spec`, unless types name it.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

from tests.laws.projects import OPAQUE, Specimen, ref
from tests.support.notation import expanded


def _specimen(parts: dict[str, Any]) -> Specimen:
    types = {
        version: {
            name: {member: expanded(node) for member, node in members.items()}
            for name, members in parts[version].items()
        }
        for version in parts
        if version[0] == "v" and version[1:].isdecimal()
    }
    if not any("Thing" in named for named in types.values()):
        thing = {"metadata": OPAQUE, "spec": ref("Spec")}
        types = {version: {"Thing": thing, **named} for version, named in types.items()}
    between = {edge: facts for edge, facts in parts.items() if " -> " in edge}
    others = {key: parts[key] for key in ("kinds", "group", "versions") if key in parts}
    assert parts.keys() == types.keys() | between.keys() | others.keys()
    return Specimen(types, between, **others)


_GROUPS: Final = """
same:
  v1: {Spec: {a: string, tags: [string], old: string~}}
  v2: {Spec: {a: string, tags: [string], new: integer}}
"renames, crossed":
  v1: {Spec: {a: string, b: string, c: $P}, P: {name: string, level: integer}}
  v2: {Spec: {a: string, b: string, d: $Q}, Q: {name: string, level: integer}}
  v3: {Spec: {b: string, e: string, d: $Q}, Q: {name: string, level: integer}}
  v1 -> v2: {Spec: {a: b, b: a, c: d}}
  v2 -> v3: {Spec: {a: b, b: e}}
numbers and unions:
  v1: {Spec: {n: number, i: integer, u: port, s: string, l: [number], m: {"*": port}}}
  v2: {Spec: {n: integer, i: number, u: string, s: port, l: [integer], m: {"*": integer}}}
  v3: {Spec: {n: number, i: integer, u: port, s: string, l: [number], m: {"*": string}}}
  v2 -> v3: {Spec: {m: not_same}}
values:
  v1: {Spec: {sku: Basic|Paid, l: [x|y]}}
  v2: {Spec: {tier: Base|Standard, l: [{$: string, $enum: [z]}]}}
  v1 -> v2:
    Spec:
      sku: {rename: tier, values: {Basic: Base, Paid: Standard}}
      l: {values: {x: z, y: z}}
wrap:
  v1: {Spec: {one: $P, many: [$P], s: string}, P: {name: string, level: integer}}
  v2: {Spec: {one: [$P], many: $P, t: [port]}, P: {name: string, since: string}}
  v1 -> v2: {Spec: {one: {wrap: true}, many: {wrap: true}, s: {rename: t, wrap: true}}}
wrap in containers:
  v1:
    Spec: {a: [string], b: {"*": $P}, c: [{"*": [string]}], d: [string], e: {"*": string},
      f: [string], g: {"*": $R}, h: {"*": any}, i: [{"*": {"*": string}}]}
    P: {name: string, level: integer}
    R: {id: string, name: string}
  v2:
    Spec: {a: [[string]], b: {"*": [$P]}, c: [{"*": string}], d: [[$R]], e: [{"*": $R}],
      g: [{"*": string}], h: [{"*": any}], i: {"*": {"*": string}}, deep: $D}
    P: {name: string, since: string}
    R: {id: string, name: string}
    D: {f: [[string]]}
  v1 -> v2:
    Spec:
      a: {wrap: true}
      b: {wrap: true}
      c: {wrap: true}
      d: {wrap: true, reference: id}
      e: {wrap: true, reference: id}
      g: {wrap: true, reference: id}
      h: {wrap: true}
      i: {wrap: true}
      f: {move: deep/f, wrap: true}
reference:
  v1: {Spec: {id: string, ids: [string], back: $R}, R: {id: string}}
  v2: {Spec: {idRef: $R, ids: [$R], back: string}, R: {id: string, name: string}}
  v1 -> v2:
    Spec: {id: {rename: idRef, reference: id}, ids: {reference: id}, back: {reference: id}}
duration:
  v1:
    Spec: {a: string, b: string, c: [string], d: {"*": integer}, in: $In, f: string, g: string}
    In: {e: string, other: string}
  v2:
    Spec: {a: integer, b: number, c: [integer], d: {"*": string}, in: $In, eSeconds: integer,
      f: [integer]}
    In: {other: string}
  v3:
    Spec: {a: string, b: number, c: [number], d: {"*": integer}, in: $In, deep: $Deep,
      g: integer}
    In: {other: string}
    Deep: {e: string}
  v1 -> v2:
    Spec:
      a: {duration: seconds}
      b: {duration: minutes}
      c: {duration: milliseconds}
      d: {duration: hours}
      in/e: {move: eSeconds, duration: seconds}
      f: {duration: seconds, wrap: true}
  v2 -> v3:
    Spec:
      a: {duration: seconds}
      d: {duration: minutes}
      eSeconds: {move: deep/e, duration: seconds}
  v1 -> v3: {Spec: {g: {duration: microseconds}}}
keyed:
  v1:
    Spec: {args: {"*": string}, zones: {"*": $Zone}, open: {"*": any}, waits: {"*": [string]},
      in: $In, late: {"*": [string]}, back: [$Arg]}
    Zone: {size: integer, old: string, tag: string}
    In: {labels: {"*": {"*": string}}}
    Arg: {name: string, value: string, more: string}
  v2:
    Spec: {args: [$Arg], zones: [$NamedZone], open: [$Open], waits: [$Wait], in: $In,
      labels: [$Label], back: {"*": string}}
    Arg: {name: string, value: string, more: string}
    NamedZone: {name: string, size: number, new: string, tags: [string]}
    Open: {id: string, value: string}
    Wait: {"on": string, seconds: [integer]}
    In: {other: string}
    Label: {key: string, labels: {"*": string}}
  v3:
    Spec: {args: [$Arg], zones: {"*": $Zone}, late: [$Late], back: [$Arg], waits: [$Wait]}
    Arg: {name: string, value: string}
    Zone: {size: integer, newest: string, tags: [string]}
    Late: {name: string, values: [string]}
    Wait: {"on": string, seconds: [integer]}
  v1 -> v2:
    Spec:
      args: {keyed: name/value}
      zones: {keyed: name}
      open: {keyed: id}
      waits: {keyed: on/seconds, duration: seconds}
      in/labels: {move: labels, keyed: key/labels}
      back: {keyed: name/value}
    Zone: {tag: {rename: tags, wrap: true}}
  v2 -> v3: {Spec: {zones: {keyed: name}, back: {keyed: name/value}}}
  v1 -> v3: {Spec: {late: {keyed: name/values}}}
functions that are not inverse and may raise:
  v1:
    Spec: {size: string, in: $In, word: string, list: [string]}
    In: {deep: string, other: string}
  v2:
    Spec: {size: integer, in: $In, words: [string], list: string, deep: integer}
    In: {other: string}
  v3: {Spec: {size: string, words: [string], list: string}}
  v1 -> v2:
    Spec:
      size: {upgrade_with: builtins:int, downgrade_with: builtins:str, misfit: keep}
      in/deep:
        move: deep
        upgrade_with: builtins:len
        downgrade_with: tests.laws.functions:letter
        misfit: keep
      word: {rename: words, upgrade_with: builtins:sorted,
        downgrade_with: tests.laws.functions:first, misfit: keep}
      list:
        upgrade_with: tests.laws.functions:joined
        downgrade_with: tests.laws.functions:split
        misfit: keep
  v2 -> v3:
    Spec:
      size:
        upgrade_with: tests.laws.functions:letter
        downgrade_with: builtins:ord
        misfit: keep
quantities:
  v1:
    Spec: {memoryMB: integer, cpu: port, sizes: [string], limits: {"*": string}, late: string,
      either: integer}
  v2:
    Spec: {resources: $Resources, milliCpu: integer, sizes: [number], limits: [$Limit],
      either: port}
    Resources: {memory: string, other: string}
    Limit: {name: string, count: integer}
  v3:
    Spec: {memory: number, resources: $Resources, milliCpu: string, sizes: string,
      limits: {"*": number}, late: number, either: port}
    Resources: {other: string}
  v1 -> v2:
    Spec:
      memoryMB: {move: resources/memory, unit: Mi}
      cpu: {rename: milliCpu, unit: m}
      sizes: {unit: Gi}
      limits: {keyed: name/count, unit: k}
      either: {unit: ""}
  v2 -> v3:
    Spec: {resources/memory: {move: memory, unit: Ki}, milliCpu: {unit: m},
      sizes: {wrap: true, unit: Ti}, limits: {keyed: name/count}}
  v1 -> v3: {Spec: {late: {unit: M}}}
"wrap, reference, list, map":
  v1: {Spec: {a: string, b: [string], c: {"*": [string]}, e: [$R]}, R: {id: string}}
  v2: {Spec: {a2: [$R], b: $R, c: {"*": $R}, e: string}, R: {id: string, name: string}}
  v1 -> v2:
    Spec:
      a: {rename: a2, wrap: true, reference: id}
      b: {wrap: true, reference: id}
      c: {wrap: true, reference: id}
      e: {wrap: true, reference: id}
moves:
  v1:
    Spec: {key: $K, solo: $L, flat: string, n: number}
    K: {vaultName: string, size: integer}
    L: {x: $M, y: string}
    M: {z: string, w: string}
  v2:
    Spec: {key: $K, vaultName: string, z: string, w: string, deep: $D}
    K: {size: integer}
    D: {flat: string, n: integer}
  v1 -> v2:
    Spec: {key/vaultName: {move: vaultName}, solo/x/z: {move: z}, solo/x/w: {move: w},
      flat: {move: deep/flat}, n: {move: deep/n}}
moves out of and into what moves:
  v1:
    Spec: {a: $A, q: string}
    A: {b: string, c: string, d: $D, items: [$D]}
    D: {e: string, f: string}
  v2:
    Spec: {x: $X, items: [$D], d: $D}
    X: {a: $A, e: string}
    A: {c: string, q: string}
    D: {f: string, g: string}
  v1 -> v2:
    Spec: {a: {move: x/a}, a/d/e: {move: x/e}, a/d: {move: d}, a/items: {move: items},
      q: {move: x/a/q}}
moves out and in again:
  v1: {Spec: {a: $A, b: $B}, A: {c: string}, B: {name: string, level: integer}}
  v2: {Spec: {c: string, name: string, b: $B}, B: {level: integer}}
  v3: {Spec: {a: $A, b: $B}, A: {c: string}, B: {name: string, level: integer}}
  v1 -> v2: {Spec: {a/c: {move: c}, b/name: {move: name}}}
  v2 -> v3: {Spec: {c: {move: a/c}, name: {move: b/name}}}
skip:
  v1: {Spec: {tier: string, o: $P, gone: string}, P: {name: string, level: integer}}
  v2: {Spec: {x: string}}
  v3:
    Spec: {tier: $T, o: $P, gone: string}
    T: {name: string, until: string}
    P: {name: string, since: string}
  v1 -> v3: {Spec: {tier: {reference: name}, gone: not_same}}
"skip, three holders":
  v1: {Spec: {tier: string}}
  v2: {Spec: {x: string}}
  v3: {Spec: {tier: $T, x: string}, T: {name: string, until: string}}
  v4: {Spec: {x: string}}
  v5: {Spec: {tiers: [$T]}, T: {name: string, until: string, more: integer}}
  v1 -> v3: {Spec: {tier: {reference: name}}}
  v3 -> v5: {Spec: {tier: {rename: tiers, wrap: true}}}
"skip, list and numbers":
  v1: {Spec: {n: number, l: [string], m: {"*": $P}}, P: {name: string, level: integer}}
  v2: {Spec: {x: string}}
  v3: {Spec: {n: integer, l: string, m: {"*": $P}}, P: {name: string, new: string}}
  v4: {Spec: {m: {"*": $P}}, P: {name: string}}
  v1 -> v3: {Spec: {l: {wrap: true}}}
type zig-zag:
  v1: {Spec: {p: $FooBar, l: [$FooBar]}, FooBar: {name: string, level: integer}}
  v2: {Spec: {p: $Foo_Bar, l: [$Foo_Bar]}, Foo_Bar: {name: string, b: boolean}}
  v3: {Spec: {p: $FooBar, l: [$FooBar]}, FooBar: {level: integer, b: boolean}}
opaque:
  v1:
    Spec: {a: any, b: $P, c: {"*": any}, d: [$P], e: any}
    P: {name: string, in: $Q}
    Q: {x: string, only1: integer}
  v2:
    Spec: {a: $P, b: any, c: {"*": $P}, d: any, e: integer}
    P: {name: string, in: $Q}
    Q: {x: string, only2: integer}
  v3:
    Spec: {a: $P, b: $P, c: any, d: [$P], e: string}
    P: {name: string, in: $Q, z: string}
    Q: {x: string}
  v2 -> v3: {Spec: {e: not_same}}
residues of farther versions:
  v1: {Spec: {a: string, b: [string], d: string, in: $I}, I: {m: string, o: string}}
  v2: {Spec: {x: string, b: [string], d: string, in: $I}, I: {m: string, o: string}}
  v3:
    Spec: {x: [string], b: [[string]], m: $R, in: $I}
    I: {o: string}
    R: {id: string, more: string}
  v4: {Spec: {x: [string], b: [[$R]], d: [string]}, R: {id: string, more: string}}
  v1 -> v2: {Spec: {a: x}}
  v2 -> v3: {Spec: {x: {wrap: true}, b: {wrap: true}, in/m: {move: m, reference: id}}}
  v3 -> v4: {Spec: {b: {reference: id}}}
  v2 -> v4: {Spec: {d: {wrap: true}}}
a gap inside of a gap:
  v1: {Spec: {l: [$P], a: string}, P: {name: string, level: integer}}
  v2: {Spec: {a: string}}
  v3: {Spec: {l: [$P]}, P: {name: string}}
  v4: {Spec: {l: [$P], a: string}, P: {name: string, level: integer}}
a linked property within a wrapped object:
  v1: {Spec: {c: $P}, P: {name: string, level: integer}}
  v2: {Spec: {c: $P}, P: {name: string}}
  v3: {Spec: {c: [$P]}, P: {name: string, level: integer}}
  v2 -> v3: {Spec: {c: {wrap: true}}}
kind missing in the middle:
  v1: {Thing: {spec: $Spec}, Spec: {a: string, b: string}, Other: {x: string}}
  v2: {Other: {x: string, y: string}}
  v3: {Thing: {spec: $Spec}, Spec: {a: string, c: string}, Other: {y: string}}
  kinds: [Thing, Other]
star round a middle hub:
  v1: {Spec: {a: string, n: number, p: $P, tier: string}, P: {name: string, level: integer}}
  v2: {Spec: {a: string, n: integer, p: $P}, P: {name: string}}
  v3: {Spec: {b: string, n: number, p: $P, tier: string}, P: {name: string, level: integer}}
  v4: {Spec: {b: string, a: string, p: [$P]}, P: {name: string, x: integer}}
  v2 -> v3: {Spec: {a: b}}
  v2 -> v4: {Spec: {p: {wrap: true}}}
  group: {hub: v2, edges: star}
a link to a link round a star:
  v1: {Spec: {p: string, r: string, t: integer}}
  v2: {Spec: {x: string}}
  v3: {Spec: {q: string, s: $R, u: integer}, R: {id: string, more: string}}
  v4: {Spec: {q: [string], s: [$R], w: integer}, R: {id: string, more: string}}
  v1 -> v3: {Spec: {p: q, t: u, r: {rename: s, reference: id}}}
  v3 -> v4: {Spec: {q: {wrap: true}, s: {wrap: true}, u: w}}
  v1 -> v4: {Spec: {p: {rename: q, wrap: true}, r: {rename: s, wrap: true, reference: id}}}
  group: {hub: v2, edges: star}
links over the branches of a star:
  v1: {Spec: {o: $P, l: [$P], tier: string}, P: {name: string, level: integer}}
  v2: {Spec: {o: $P, l: [$P], tier: number}, P: {name: string, two: string}}
  v3: {Spec: {tier: integer}}
  v4: {Spec: {q: $P, x: string}, P: {name: string, four: string}}
  v1 -> v4: {Spec: {o: q}}
  v1 -> v2: {Spec: {tier: not_same}}
  v1 -> v3: {Spec: {tier: not_same}}
  group: {hub: v4, edges: star}
names that run together:
  v1:
    Spec: {to: integer, back: integer, moves: integer, k: $FooBar, j: $Foo_Bar, x: $SpecTo}
    SpecTo: {to: integer}
    FooBar: {a: number}
    Foo_Bar: {a: number}
  v2:
    Spec: {to: number, back: number, moves: number, k: $FooBar, j: $Foo_Bar, x: $SpecTo}
    SpecTo: {to: number}
    FooBar: {a: integer}
    Foo_Bar: {a: integer}
internal hub:
  v1: {Spec: {a: string, x: string}}
  v2: {Spec: {a: string, y: string}}
  group: {hub: hub, edges: star}
  versions: [v1, v2, {name: hub, internal: true, like: v2}]
paired with two newer types:
  v1: {Spec: {a: $P, b: $P, l: [$P]}, P: {name: string, level: integer}}
  v2:
    Spec: {a: $A, b: $B, l: [$B]}
    A: {name: string, a: string}
    B: {level: integer, b: string}
recursive type:
  v1: {Spec: {tree: $Node}, Node: {name: string, n: number, kids: [$Node], next: $Node}}
  v2:
    Spec: {tree: $Node}
    Node: {title: string, n: integer, kids: [$Node], next: $Node, by: {"*": $Node}}
  v1 -> v2: {Node: {name: title}}
awkward names:
  v1:
    Spec: {class: string, None: string, list: string, fooBar: string, foo_bar: string,
      foo-bar: string, 2x: string, property_bag: string, propertyBag: integer, extra_: string,
      self: string, to_dict: string, import: $P}
    P: {from: string, source: integer, bag: string}
  v2:
    Spec: {class: string, None: string, dict: string, fooBar: string, property_bag: string,
      propertyBag: number, h: string, destination: string, to_dict: string, import: $P}
    P: {from: string, destination: integer, bag: port}
features together:
  v1:
    Spec: {old: [$P], key: $K, tier: $P, opaque: {"*": any}}
    P: {id: string, kind: a|b, n: number, only1: string}
    K: {vault: string, n: number}
  v2:
    Spec: {new: [$P2], vault: $R, opaque: {"*": $P2}}
    P2: {idRef: $R, kind: a|c, n: integer}
    R: {id: string, x: string}
  v3:
    Spec: {new: $P, vault: $R, tier: [$P], opaque: {"*": $P}}
    P: {idRef: $R, kind: string, n: number, only3: string}
    R: {id: string, y: string}
  v1 -> v2:
    Spec: {old: {rename: new}, key/vault: {move: vault, reference: id}}
    P: {id: {rename: idRef, reference: id}, kind: {values: {b: c}}}
  v2 -> v3: {Spec: {new: {wrap: true}}}
  v1 -> v3: {Spec: {tier: {wrap: true}}}
"""
SPECIMENS: Final = {name: _specimen(parts) for name, parts in yaml.safe_load(_GROUPS).items()}

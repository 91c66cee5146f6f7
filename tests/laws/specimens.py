"""Small literal groups, each for one feature or for features that meet.

The kind is always `Thing`, with `spec` of type `Spec` where nesting matters.
"""

from __future__ import annotations

from typing import Any, Final

from tests.laws.projects import (
    BOOLEAN,
    INT_OR_STRING,
    INTEGER,
    NUMBER,
    OPAQUE,
    STRING,
    Schema,
    Specimen,
    many,
    mapped,
    nullable,
    ref,
)


def _enum(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def _with_spec(
    shapes: dict[str, dict[str, Any]], between: dict[str, Any] | None = None, **more: Any
) -> Specimen:
    """Return a group whose kind has metadata and a spec; `Spec` is among the types given."""
    types = {
        version: {"Thing": {"metadata": OPAQUE, "spec": ref("Spec")}, **types}
        for version, types in shapes.items()
    }
    return Specimen(types, between, **more)


_PROFILE: Final = {"name": STRING, "level": INTEGER}

SPECIMENS: Final[dict[str, Specimen]] = {
    "same": _with_spec(
        {
            "v1": {"Spec": {"a": STRING, "tags": many(STRING), "old": nullable(STRING)}},
            "v2": {"Spec": {"a": STRING, "tags": many(STRING), "new": INTEGER}},
        }
    ),
    "renames, crossed": _with_spec(
        {
            "v1": {"Spec": {"a": STRING, "b": STRING, "c": ref("P")}, "P": _PROFILE},
            "v2": {"Spec": {"a": STRING, "b": STRING, "d": ref("Q")}, "Q": _PROFILE},
            "v3": {"Spec": {"b": STRING, "e": STRING, "d": ref("Q")}, "Q": _PROFILE},
        },
        {
            "v1 -> v2": {"Spec": {"a": "b", "b": "a", "c": "d"}},
            "v2 -> v3": {"Spec": {"a": "b", "b": "e"}},
        },
    ),
    "numbers and unions": _with_spec(
        {
            "v1": {
                "Spec": {
                    "n": NUMBER,
                    "i": INTEGER,
                    "u": INT_OR_STRING,
                    "s": STRING,
                    "l": many(NUMBER),
                    "m": mapped(INT_OR_STRING),
                }
            },
            "v2": {
                "Spec": {
                    "n": INTEGER,
                    "i": NUMBER,
                    "u": STRING,
                    "s": INT_OR_STRING,
                    "l": many(INTEGER),
                    "m": mapped(INTEGER),
                }
            },
            "v3": {
                "Spec": {
                    "n": NUMBER,
                    "i": INTEGER,
                    "u": INT_OR_STRING,
                    "s": STRING,
                    "l": many(NUMBER),
                    "m": mapped(STRING),
                }
            },
        },
        {"v2 -> v3": {"Spec": {"m": "not_same"}}},
    ),
    "values": _with_spec(
        {
            "v1": {"Spec": {"sku": _enum("Basic", "Paid"), "l": many(_enum("x", "y"))}},
            "v2": {"Spec": {"tier": _enum("Base", "Standard"), "l": many(_enum("z"))}},
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "sku": {"rename": "tier", "values": {"Basic": "Base", "Paid": "Standard"}},
                    "l": {"values": {"x": "z", "y": "z"}},
                }
            }
        },
    ),
    "wrap": _with_spec(
        {
            "v1": {"Spec": {"one": ref("P"), "many": many(ref("P")), "s": STRING}, "P": _PROFILE},
            "v2": {
                "Spec": {"one": many(ref("P")), "many": ref("P"), "t": many(INT_OR_STRING)},
                "P": {"name": STRING, "since": STRING},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "one": {"wrap": True},
                    "many": {"wrap": True},
                    "s": {"rename": "t", "wrap": True},
                }
            }
        },
    ),
    "wrap in containers": _with_spec(
        {
            "v1": {
                "Spec": {
                    "a": many(STRING),
                    "b": mapped(ref("P")),
                    "c": many(mapped(many(STRING))),
                    "d": many(STRING),
                    "e": mapped(STRING),
                    "f": many(STRING),
                    "g": mapped(ref("R")),
                    "h": mapped(OPAQUE),
                    "i": many(mapped(mapped(STRING))),
                },
                "P": _PROFILE,
                "R": {"id": STRING, "name": STRING},
            },
            "v2": {
                "Spec": {
                    "a": many(many(STRING)),
                    "b": mapped(many(ref("P"))),
                    "c": many(mapped(STRING)),
                    "d": many(many(ref("R"))),
                    "e": many(mapped(ref("R"))),
                    "g": many(mapped(STRING)),
                    "h": many(mapped(OPAQUE)),
                    "i": mapped(mapped(STRING)),
                    "deep": ref("D"),
                },
                "P": {"name": STRING, "since": STRING},
                "R": {"id": STRING, "name": STRING},
                "D": {"f": many(many(STRING))},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "a": {"wrap": True},
                    "b": {"wrap": True},
                    "c": {"wrap": True},
                    "d": {"wrap": True, "reference": "id"},
                    "e": {"wrap": True, "reference": "id"},
                    "g": {"wrap": True, "reference": "id"},
                    "h": {"wrap": True},
                    "i": {"wrap": True},
                    "f": {"move": "deep/f", "wrap": True},
                }
            }
        },
    ),
    "reference": _with_spec(
        {
            "v1": {
                "Spec": {"id": STRING, "ids": many(STRING), "back": ref("R")},
                "R": {"id": STRING},
            },
            "v2": {
                "Spec": {"idRef": ref("R"), "ids": many(ref("R")), "back": STRING},
                "R": {"id": STRING, "name": STRING},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "id": {"rename": "idRef", "reference": "id"},
                    "ids": {"reference": "id"},
                    "back": {"reference": "id"},
                }
            }
        },
    ),
    "duration": _with_spec(
        {
            "v1": {
                "Spec": {
                    "a": STRING,
                    "b": STRING,
                    "c": many(STRING),
                    "d": mapped(INTEGER),
                    "in": ref("In"),
                    "f": STRING,
                    "g": STRING,
                },
                "In": {"e": STRING, "other": STRING},
            },
            "v2": {
                "Spec": {
                    "a": INTEGER,
                    "b": NUMBER,
                    "c": many(INTEGER),
                    "d": mapped(STRING),
                    "in": ref("In"),
                    "eSeconds": INTEGER,
                    "f": many(INTEGER),
                },
                "In": {"other": STRING},
            },
            "v3": {
                "Spec": {
                    "a": STRING,
                    "b": NUMBER,
                    "c": many(NUMBER),
                    "d": mapped(INTEGER),
                    "in": ref("In"),
                    "deep": ref("Deep"),
                    "g": INTEGER,
                },
                "In": {"other": STRING},
                "Deep": {"e": STRING},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "a": {"duration": "seconds"},
                    "b": {"duration": "minutes"},
                    "c": {"duration": "milliseconds"},
                    "d": {"duration": "hours"},
                    "in/e": {"move": "eSeconds", "duration": "seconds"},
                    "f": {"duration": "seconds", "wrap": True},
                }
            },
            "v2 -> v3": {
                "Spec": {
                    "a": {"duration": "seconds"},
                    "d": {"duration": "minutes"},
                    "eSeconds": {"move": "deep/e", "duration": "seconds"},
                }
            },
            "v1 -> v3": {"Spec": {"g": {"duration": "microseconds"}}},
        },
    ),
    "keyed": _with_spec(
        {
            "v1": {
                "Spec": {
                    "args": mapped(STRING),
                    "zones": mapped(ref("Zone")),
                    "open": mapped(OPAQUE),
                    "waits": mapped(many(STRING)),
                    "in": ref("In"),
                    "late": mapped(many(STRING)),
                    "back": many(ref("Arg")),
                },
                "Zone": {"size": INTEGER, "old": STRING, "tag": STRING},
                "In": {"labels": mapped(mapped(STRING))},
                "Arg": {"name": STRING, "value": STRING, "more": STRING},
            },
            "v2": {
                "Spec": {
                    "args": many(ref("Arg")),
                    "zones": many(ref("NamedZone")),
                    "open": many(ref("Open")),
                    "waits": many(ref("Wait")),
                    "in": ref("In"),
                    "labels": many(ref("Label")),
                    "back": mapped(STRING),
                },
                "Arg": {"name": STRING, "value": STRING, "more": STRING},
                "NamedZone": {"name": STRING, "size": NUMBER, "new": STRING, "tags": many(STRING)},
                "Open": {"id": STRING, "value": STRING},
                "Wait": {"on": STRING, "seconds": many(INTEGER)},
                "In": {"other": STRING},
                "Label": {"key": STRING, "labels": mapped(STRING)},
            },
            "v3": {
                "Spec": {
                    "args": many(ref("Arg")),
                    "zones": mapped(ref("Zone")),
                    "late": many(ref("Late")),
                    "back": many(ref("Arg")),
                    "waits": many(ref("Wait")),
                },
                "Arg": {"name": STRING, "value": STRING},
                "Zone": {"size": INTEGER, "newest": STRING, "tags": many(STRING)},
                "Late": {"name": STRING, "values": many(STRING)},
                "Wait": {"on": STRING, "seconds": many(INTEGER)},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "args": {"keyed": "name/value"},
                    "zones": {"keyed": "name"},
                    "open": {"keyed": "id"},
                    "waits": {"keyed": "on/seconds", "duration": "seconds"},
                    "in/labels": {"move": "labels", "keyed": "key/labels"},
                    "back": {"keyed": "name/value"},
                },
                "Zone": {"tag": {"rename": "tags", "wrap": True}},
            },
            "v2 -> v3": {"Spec": {"zones": {"keyed": "name"}, "back": {"keyed": "name/value"}}},
            "v1 -> v3": {"Spec": {"late": {"keyed": "name/values"}}},
        },
    ),
    "functions that are not inverse and may raise": _with_spec(
        {
            "v1": {
                "Spec": {"size": STRING, "in": ref("In"), "word": STRING, "list": many(STRING)},
                "In": {"deep": STRING, "other": STRING},
            },
            "v2": {
                "Spec": {
                    "size": INTEGER,
                    "in": ref("In"),
                    "words": many(STRING),
                    "list": STRING,
                    "deep": INTEGER,
                },
                "In": {"other": STRING},
            },
            "v3": {"Spec": {"size": STRING, "words": many(STRING), "list": STRING}},
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "size": {
                        "upgrade_with": "builtins:int",
                        "downgrade_with": "builtins:str",
                        "misfit": "keep",
                    },
                    "in/deep": {
                        "move": "deep",
                        "upgrade_with": "builtins:len",
                        "downgrade_with": "tests.laws.functions:letter",
                        "misfit": "keep",
                    },
                    "word": {
                        "rename": "words",
                        "upgrade_with": "builtins:sorted",
                        "downgrade_with": "tests.laws.functions:first",
                        "misfit": "keep",
                    },
                    "list": {
                        "upgrade_with": "tests.laws.functions:joined",
                        "downgrade_with": "tests.laws.functions:split",
                        "misfit": "keep",
                    },
                }
            },
            "v2 -> v3": {
                "Spec": {
                    "size": {
                        "upgrade_with": "tests.laws.functions:letter",
                        "downgrade_with": "builtins:ord",
                        "misfit": "keep",
                    }
                }
            },
        },
    ),
    "quantities": _with_spec(
        {
            "v1": {
                "Spec": {
                    "memoryMB": INTEGER,
                    "cpu": INT_OR_STRING,
                    "sizes": many(STRING),
                    "limits": mapped(STRING),
                    "late": STRING,
                    "either": INTEGER,
                },
            },
            "v2": {
                "Spec": {
                    "resources": ref("Resources"),
                    "milliCpu": INTEGER,
                    "sizes": many(NUMBER),
                    "limits": many(ref("Limit")),
                    "either": INT_OR_STRING,
                },
                "Resources": {"memory": STRING, "other": STRING},
                "Limit": {"name": STRING, "count": INTEGER},
            },
            "v3": {
                "Spec": {
                    "memory": NUMBER,
                    "resources": ref("Resources"),
                    "milliCpu": STRING,
                    "sizes": STRING,
                    "limits": mapped(NUMBER),
                    "late": NUMBER,
                    "either": INT_OR_STRING,
                },
                "Resources": {"other": STRING},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "memoryMB": {"move": "resources/memory", "unit": "Mi"},
                    "cpu": {"rename": "milliCpu", "unit": "m"},
                    "sizes": {"unit": "Gi"},
                    "limits": {"keyed": "name/count", "unit": "k"},
                    "either": {"unit": ""},
                }
            },
            "v2 -> v3": {
                "Spec": {
                    "resources/memory": {"move": "memory", "unit": "Ki"},
                    "milliCpu": {"unit": "m"},
                    "sizes": {"wrap": True, "unit": "Ti"},
                    "limits": {"keyed": "name/count"},
                }
            },
            "v1 -> v3": {"Spec": {"late": {"unit": "M"}}},
        },
    ),
    "wrap, reference, list, map": _with_spec(
        {
            "v1": {
                "Spec": {
                    "a": STRING,
                    "b": many(STRING),
                    "c": mapped(many(STRING)),
                    "e": many(ref("R")),
                },
                "R": {"id": STRING},
            },
            "v2": {
                "Spec": {"a2": many(ref("R")), "b": ref("R"), "c": mapped(ref("R")), "e": STRING},
                "R": {"id": STRING, "name": STRING},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "a": {"rename": "a2", "wrap": True, "reference": "id"},
                    "b": {"wrap": True, "reference": "id"},
                    "c": {"wrap": True, "reference": "id"},
                    "e": {"wrap": True, "reference": "id"},
                }
            }
        },
    ),
    "moves": _with_spec(
        {
            "v1": {
                "Spec": {"key": ref("K"), "solo": ref("L"), "flat": STRING, "n": NUMBER},
                "K": {"vaultName": STRING, "size": INTEGER},
                "L": {"x": ref("M"), "y": STRING},
                "M": {"z": STRING, "w": STRING},
            },
            "v2": {
                "Spec": {
                    "key": ref("K"),
                    "vaultName": STRING,
                    "z": STRING,
                    "w": STRING,
                    "deep": ref("D"),
                },
                "K": {"size": INTEGER},
                "D": {"flat": STRING, "n": INTEGER},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "key/vaultName": {"move": "vaultName"},
                    "solo/x/z": {"move": "z"},
                    "solo/x/w": {"move": "w"},
                    "flat": {"move": "deep/flat"},
                    "n": {"move": "deep/n"},
                }
            }
        },
    ),
    "moves out of and into what moves": _with_spec(
        {
            "v1": {
                "Spec": {"a": ref("A"), "q": STRING},
                "A": {"b": STRING, "c": STRING, "d": ref("D"), "items": many(ref("D"))},
                "D": {"e": STRING, "f": STRING},
            },
            "v2": {
                "Spec": {"x": ref("X"), "items": many(ref("D")), "d": ref("D")},
                "X": {"a": ref("A"), "e": STRING},
                "A": {"c": STRING, "q": STRING},
                "D": {"f": STRING, "g": STRING},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "a": {"move": "x/a"},
                    "a/d/e": {"move": "x/e"},
                    "a/d": {"move": "d"},
                    "a/items": {"move": "items"},
                    "q": {"move": "x/a/q"},
                }
            }
        },
    ),
    "moves out and in again": _with_spec(
        {
            "v1": {"Spec": {"a": ref("A"), "b": ref("B")}, "A": {"c": STRING}, "B": _PROFILE},
            "v2": {
                "Spec": {"c": STRING, "name": STRING, "b": ref("B")},
                "B": {"level": INTEGER},
            },
            "v3": {"Spec": {"a": ref("A"), "b": ref("B")}, "A": {"c": STRING}, "B": _PROFILE},
        },
        {
            "v1 -> v2": {"Spec": {"a/c": {"move": "c"}, "b/name": {"move": "name"}}},
            "v2 -> v3": {"Spec": {"c": {"move": "a/c"}, "name": {"move": "b/name"}}},
        },
    ),
    "skip": _with_spec(
        {
            "v1": {"Spec": {"tier": STRING, "o": ref("P"), "gone": STRING}, "P": _PROFILE},
            "v2": {"Spec": {"x": STRING}},
            "v3": {
                "Spec": {"tier": ref("T"), "o": ref("P"), "gone": STRING},
                "T": {"name": STRING, "until": STRING},
                "P": {"name": STRING, "since": STRING},
            },
        },
        {"v1 -> v3": {"Spec": {"tier": {"reference": "name"}, "gone": "not_same"}}},
    ),
    "skip, three holders": _with_spec(
        {
            "v1": {"Spec": {"tier": STRING}},
            "v2": {"Spec": {"x": STRING}},
            "v3": {"Spec": {"tier": ref("T"), "x": STRING}, "T": {"name": STRING, "until": STRING}},
            "v4": {"Spec": {"x": STRING}},
            "v5": {
                "Spec": {"tiers": many(ref("T"))},
                "T": {"name": STRING, "until": STRING, "more": INTEGER},
            },
        },
        {
            "v1 -> v3": {"Spec": {"tier": {"reference": "name"}}},
            "v3 -> v5": {"Spec": {"tier": {"rename": "tiers", "wrap": True}}},
        },
    ),
    "skip, list and numbers": _with_spec(
        {
            "v1": {"Spec": {"n": NUMBER, "l": many(STRING), "m": mapped(ref("P"))}, "P": _PROFILE},
            "v2": {"Spec": {"x": STRING}},
            "v3": {
                "Spec": {"n": INTEGER, "l": STRING, "m": mapped(ref("P"))},
                "P": {"name": STRING, "new": STRING},
            },
            "v4": {"Spec": {"m": mapped(ref("P"))}, "P": {"name": STRING}},
        },
        {"v1 -> v3": {"Spec": {"l": {"wrap": True}}}},
    ),
    "type zig-zag": _with_spec(
        {
            "v1": {"Spec": {"p": ref("FooBar"), "l": many(ref("FooBar"))}, "FooBar": _PROFILE},
            "v2": {
                "Spec": {"p": ref("Foo_Bar"), "l": many(ref("Foo_Bar"))},
                "Foo_Bar": {"name": STRING, "b": BOOLEAN},
            },
            "v3": {
                "Spec": {"p": ref("FooBar"), "l": many(ref("FooBar"))},
                "FooBar": {"level": INTEGER, "b": BOOLEAN},
            },
        }
    ),
    "opaque": _with_spec(
        {
            "v1": {
                "Spec": {
                    "a": OPAQUE,
                    "b": ref("P"),
                    "c": mapped(OPAQUE),
                    "d": many(ref("P")),
                    "e": OPAQUE,
                },
                "P": {"name": STRING, "in": ref("Q")},
                "Q": {"x": STRING, "only1": INTEGER},
            },
            "v2": {
                "Spec": {
                    "a": ref("P"),
                    "b": OPAQUE,
                    "c": mapped(ref("P")),
                    "d": OPAQUE,
                    "e": INTEGER,
                },
                "P": {"name": STRING, "in": ref("Q")},
                "Q": {"x": STRING, "only2": INTEGER},
            },
            "v3": {
                "Spec": {
                    "a": ref("P"),
                    "b": ref("P"),
                    "c": OPAQUE,
                    "d": many(ref("P")),
                    "e": STRING,
                },
                "P": {"name": STRING, "in": ref("Q"), "z": STRING},
                "Q": {"x": STRING},
            },
        },
        {"v2 -> v3": {"Spec": {"e": "not_same"}}},
    ),
    "residues of farther versions": _with_spec(
        {
            "v1": {
                "Spec": {"a": STRING, "b": many(STRING), "d": STRING, "in": ref("I")},
                "I": {"m": STRING, "o": STRING},
            },
            "v2": {
                "Spec": {"x": STRING, "b": many(STRING), "d": STRING, "in": ref("I")},
                "I": {"m": STRING, "o": STRING},
            },
            "v3": {
                "Spec": {"x": many(STRING), "b": many(many(STRING)), "m": ref("R"), "in": ref("I")},
                "I": {"o": STRING},
                "R": {"id": STRING, "more": STRING},
            },
            "v4": {
                "Spec": {"x": many(STRING), "b": many(many(ref("R"))), "d": many(STRING)},
                "R": {"id": STRING, "more": STRING},
            },
        },
        {
            "v1 -> v2": {"Spec": {"a": "x"}},
            "v2 -> v3": {
                "Spec": {
                    "x": {"wrap": True},
                    "b": {"wrap": True},
                    "in/m": {"move": "m", "reference": "id"},
                }
            },
            "v3 -> v4": {"Spec": {"b": {"reference": "id"}}},
            "v2 -> v4": {"Spec": {"d": {"wrap": True}}},
        },
    ),
    "a gap inside of a gap": _with_spec(
        {
            "v1": {"Spec": {"l": many(ref("P")), "a": STRING}, "P": _PROFILE},
            "v2": {"Spec": {"a": STRING}},
            "v3": {"Spec": {"l": many(ref("P"))}, "P": {"name": STRING}},
            "v4": {"Spec": {"l": many(ref("P")), "a": STRING}, "P": _PROFILE},
        }
    ),
    "a linked property within a wrapped object": _with_spec(
        {
            "v1": {"Spec": {"c": ref("P")}, "P": _PROFILE},
            "v2": {"Spec": {"c": ref("P")}, "P": {"name": STRING}},
            "v3": {"Spec": {"c": many(ref("P"))}, "P": _PROFILE},
        },
        between={"v2 -> v3": {"Spec": {"c": {"wrap": True}}}},
    ),
    "kind missing in the middle": Specimen(
        {
            "v1": {
                "Thing": {"spec": ref("Spec")},
                "Spec": {"a": STRING, "b": STRING},
                "Other": {"x": STRING},
            },
            "v2": {"Other": {"x": STRING, "y": STRING}},
            "v3": {
                "Thing": {"spec": ref("Spec")},
                "Spec": {"a": STRING, "c": STRING},
                "Other": {"y": STRING},
            },
        },
        kinds=("Thing", "Other"),
    ),
    "star round a middle hub": _with_spec(
        {
            "v1": {
                "Spec": {"a": STRING, "n": NUMBER, "p": ref("P"), "tier": STRING},
                "P": _PROFILE,
            },
            "v2": {"Spec": {"a": STRING, "n": INTEGER, "p": ref("P")}, "P": {"name": STRING}},
            "v3": {
                "Spec": {"b": STRING, "n": NUMBER, "p": ref("P"), "tier": STRING},
                "P": _PROFILE,
            },
            "v4": {
                "Spec": {"b": STRING, "a": STRING, "p": many(ref("P"))},
                "P": {"name": STRING, "x": INTEGER},
            },
        },
        {"v2 -> v3": {"Spec": {"a": "b"}}, "v2 -> v4": {"Spec": {"p": {"wrap": True}}}},
        group={"hub": "v2", "edges": "star"},
    ),
    "a link to a link round a star": _with_spec(
        {
            "v1": {"Spec": {"p": STRING, "r": STRING, "t": INTEGER}},
            "v2": {"Spec": {"x": STRING}},
            "v3": {
                "Spec": {"q": STRING, "s": ref("R"), "u": INTEGER},
                "R": {"id": STRING, "more": STRING},
            },
            "v4": {
                "Spec": {"q": many(STRING), "s": many(ref("R")), "w": INTEGER},
                "R": {"id": STRING, "more": STRING},
            },
        },
        {
            "v1 -> v3": {"Spec": {"p": "q", "t": "u", "r": {"rename": "s", "reference": "id"}}},
            "v3 -> v4": {"Spec": {"q": {"wrap": True}, "s": {"wrap": True}, "u": "w"}},
            "v1 -> v4": {
                "Spec": {
                    "p": {"rename": "q", "wrap": True},
                    "r": {"rename": "s", "wrap": True, "reference": "id"},
                }
            },
        },
        group={"hub": "v2", "edges": "star"},
    ),
    "links over the branches of a star": _with_spec(
        {
            "v1": {"Spec": {"o": ref("P"), "l": many(ref("P")), "tier": STRING}, "P": _PROFILE},
            "v2": {
                "Spec": {"o": ref("P"), "l": many(ref("P")), "tier": NUMBER},
                "P": {"name": STRING, "two": STRING},
            },
            "v3": {"Spec": {"tier": INTEGER}},
            "v4": {"Spec": {"q": ref("P"), "x": STRING}, "P": {"name": STRING, "four": STRING}},
        },
        {
            "v1 -> v4": {"Spec": {"o": "q"}},
            "v1 -> v2": {"Spec": {"tier": "not_same"}},
            "v1 -> v3": {"Spec": {"tier": "not_same"}},
        },
        group={"hub": "v4", "edges": "star"},
    ),
    "names that run together": _with_spec(
        {
            "v1": {
                "Spec": {
                    "to": INTEGER,
                    "back": INTEGER,
                    "moves": INTEGER,
                    "k": ref("FooBar"),
                    "j": ref("Foo_Bar"),
                    "x": ref("SpecTo"),
                },
                "SpecTo": {"to": INTEGER},
                "FooBar": {"a": NUMBER},
                "Foo_Bar": {"a": NUMBER},
            },
            "v2": {
                "Spec": {
                    "to": NUMBER,
                    "back": NUMBER,
                    "moves": NUMBER,
                    "k": ref("FooBar"),
                    "j": ref("Foo_Bar"),
                    "x": ref("SpecTo"),
                },
                "SpecTo": {"to": NUMBER},
                "FooBar": {"a": INTEGER},
                "Foo_Bar": {"a": INTEGER},
            },
        }
    ),
    "internal hub": _with_spec(
        {
            "v1": {"Spec": {"a": STRING, "x": STRING}},
            "v2": {"Spec": {"a": STRING, "y": STRING}},
        },
        versions=("v1", "v2", {"name": "hub", "internal": True, "like": "v2"}),
        group={"hub": "hub", "edges": "star"},
    ),
    "paired with two newer types": _with_spec(
        {
            "v1": {"Spec": {"a": ref("P"), "b": ref("P"), "l": many(ref("P"))}, "P": _PROFILE},
            "v2": {
                "Spec": {"a": ref("A"), "b": ref("B"), "l": many(ref("B"))},
                "A": {"name": STRING, "a": STRING},
                "B": {"level": INTEGER, "b": STRING},
            },
        }
    ),
    "recursive type": _with_spec(
        {
            "v1": {
                "Spec": {"tree": ref("Node")},
                "Node": {
                    "name": STRING,
                    "n": NUMBER,
                    "kids": many(ref("Node")),
                    "next": ref("Node"),
                },
            },
            "v2": {
                "Spec": {"tree": ref("Node")},
                "Node": {
                    "title": STRING,
                    "n": INTEGER,
                    "kids": many(ref("Node")),
                    "next": ref("Node"),
                    "by": mapped(ref("Node")),
                },
            },
        },
        {"v1 -> v2": {"Node": {"name": "title"}}},
    ),
    "awkward names": _with_spec(
        {
            "v1": {
                "Spec": {
                    "class": STRING,
                    "None": STRING,
                    "list": STRING,
                    "fooBar": STRING,
                    "foo_bar": STRING,
                    "foo-bar": STRING,
                    "2x": STRING,
                    "property_bag": STRING,
                    "propertyBag": INTEGER,
                    "extra_": STRING,
                    "self": STRING,
                    "to_dict": STRING,
                    "import": ref("P"),
                },
                "P": {"from": STRING, "source": INTEGER, "bag": STRING},
            },
            "v2": {
                "Spec": {
                    "class": STRING,
                    "None": STRING,
                    "dict": STRING,
                    "fooBar": STRING,
                    "property_bag": STRING,
                    "propertyBag": NUMBER,
                    "h": STRING,
                    "destination": STRING,
                    "to_dict": STRING,
                    "import": ref("P"),
                },
                "P": {"from": STRING, "destination": INTEGER, "bag": INT_OR_STRING},
            },
        }
    ),
    "features together": _with_spec(
        {
            "v1": {
                "Spec": {
                    "old": many(ref("P")),
                    "key": ref("K"),
                    "tier": ref("P"),
                    "opaque": mapped(OPAQUE),
                },
                "P": {"id": STRING, "kind": _enum("a", "b"), "n": NUMBER, "only1": STRING},
                "K": {"vault": STRING, "n": NUMBER},
            },
            "v2": {
                "Spec": {"new": many(ref("P2")), "vault": ref("R"), "opaque": mapped(ref("P2"))},
                "P2": {"idRef": ref("R"), "kind": _enum("a", "c"), "n": INTEGER},
                "R": {"id": STRING, "x": STRING},
            },
            "v3": {
                "Spec": {
                    "new": ref("P"),
                    "vault": ref("R"),
                    "tier": many(ref("P")),
                    "opaque": mapped(ref("P")),
                },
                "P": {"idRef": ref("R"), "kind": STRING, "n": NUMBER, "only3": STRING},
                "R": {"id": STRING, "y": STRING},
            },
        },
        {
            "v1 -> v2": {
                "Spec": {
                    "old": {"rename": "new"},
                    "key/vault": {"move": "vault", "reference": "id"},
                },
                "P": {"id": {"rename": "idRef", "reference": "id"}, "kind": {"values": {"b": "c"}}},
            },
            "v2 -> v3": {"Spec": {"new": {"wrap": True}}},
            "v1 -> v3": {"Spec": {"tier": {"wrap": True}}},
        },
    ),
}

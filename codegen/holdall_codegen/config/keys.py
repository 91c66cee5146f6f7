"""The keys of `holdall.yaml`: types, defaults and meanings.

Reader, JSON schema and the tables of docs/configuration.md follow from these structs. Those of
`between`, `crd` and `breaking` are in modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from holdall.carriers.annotations import ANNOTATIONS_LIMIT
from holdall.plan.bag_limits import DEFAULT_BUDGET
from holdall.text.documents import Scalars
from holdall.types import JsonObject
from holdall_codegen.breaking.ignoring import Accepted, BreakingConfig
from holdall_codegen.config import names
from holdall_codegen.config.crd import (
    ApiGroup,
    CrdConfig,
    FilePattern,
    KindName,
    ListedVersion,
    VersionName,
)
from holdall_codegen.config.fact_keys import TypeKeys
from holdall_codegen.config.overlays import InnerConfig, OverlayConfig
from holdall_codegen.config.tables import Called, Form, Keys, More, Range, Schema
from holdall_codegen.model import NOWHERE, Location

_PACKAGE = "a Python package name"
Package: TypeAlias = Annotated[
    str, Form(names.PACKAGE, f"{_PACKAGE} with dots between folders, such as src.generated")
]
GROUP_PACKAGE = f"{_PACKAGE} such as batch or acme.batch"
GroupPackage: TypeAlias = Annotated[str, Form(names.PACKAGE, GROUP_PACKAGE)]
MemberName: TypeAlias = Annotated[str, Form(names.MEMBER, names.MEMBER_FORM)]
CarrierWord: TypeAlias = Annotated[Literal["annotation", "field", "none"], Called("carrier")]
Pair: TypeAlias = Annotated[
    list[VersionName],
    Schema(
        {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "string", "pattern": f"^(?:{names.VERSION.pattern})$"},
        }
    ),
]

Types: TypeAlias = Annotated[
    dict[str, TypeKeys],
    Schema(
        {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": f"^(?:{names.TYPE_PATTERN.pattern})$"},
            "additionalProperties": {"$ref": "#/$defs/type"},
            "patternProperties": {r"\*": {"not": {"required": ["$type"]}, "$ref": "#/$defs/type"}},
        }
    ),
]
KindPointer: TypeAlias = Annotated[
    str, Form(names.POINTER, "a JSON Pointer such as /definitions/X"), Called("a kind")
]
TypePath: TypeAlias = Annotated[
    str, Form(names.TYPE_PATH, "the path of an object, such as Kind/spec/pools/*")
]
ClassName: TypeAlias = Annotated[
    str, Form(names.IDENTIFIER, "a Python class name"), Called("a type name")
]
_PATH = "a path of an object's properties, such as"
Dropped: TypeAlias = Annotated[
    str, Form(names.OBJECT_PATH, f"{_PATH} status or spec/pools/*/history")
]
StrictList: TypeAlias = Annotated[
    str, Form(names.OBJECT_PATH, f"{_PATH} spec/rules or spec/pools/*/disks")
]


SettingName: TypeAlias = Annotated[
    str, Form(names.IDENTIFIER, "a name of letters, digits and _"), Called("a setting")
]


PythonFile: TypeAlias = Annotated[
    str, Form(names.PYTHON_FILE, "the path of a .py file below the project's root")
]


class CrdSource(Keys, rename={"pattern": "crds"}):
    __doc__ = """Files with CRDs; each holds one or many documents.

    crds (required): Files with CustomResourceDefinitions, one or many documents each, `List`
        included. Every version needs a schema, and has to be listed in `versions`.
    group (all): Only CRDs of this API group, for a file that has several.
    kinds (all): Only CRDs of these kinds, a list.
    yaml (`strict`): `kubernetes` reads ambiguous scalars as kubectl does; `strict` refuses them.
    """

    pattern: FilePattern
    location: Location = NOWHERE
    group: ApiGroup | None = None
    kinds: list[KindName] | None = None
    yaml: Scalars = "strict"


class SchemaSource(Keys, rename={"pattern": "schemas"}):
    __doc__ = """Files with JSON Schema or OpenAPI definitions of one version.

    schemas (required): Files with definitions of one version. `$ref` may lead to other local
        files.
    version (required): The version that the definitions describe.
    kinds (the root schema, named by its `title`): The kinds, and for each the JSON Pointer of its
        schema in the file; `""` is the root.
    yaml (`strict`): As for CRDs: `kubernetes` or `strict`.
    """

    pattern: FilePattern
    version: ListedVersion
    location: Location = NOWHERE
    kinds: dict[KindName, KindPointer] | None = None
    kinds_at: Mapping[str, Location] = MappingProxyType({})
    yaml: Scalars = "strict"


class DeclaredSource(Keys, rename={"pattern": "declared"}):
    __doc__ = """A Python module that declares all versions of the group.

    declared (required): The Python file that [declares](declared.md) all versions, from the
        project's root. It is the only source of its group.
    """

    pattern: PythonFile
    location: Location = NOWHERE


Source: TypeAlias = CrdSource | SchemaSource | DeclaredSource


class VersionConfig(Keys):
    __doc__ = """A version that is more than a name.

    name (required): The version's name, as in `apiVersion`.
    deprecated (none): A text for users of the version. Its API types are marked as deprecated with
        it.
    internal (`false`): The version exists in memory only. It is never served or stored: no
        document is converted from or to it.
    like (none): For an internal version without schemas of its own: the version whose shape it
        takes.
    """

    name: Annotated[VersionName, Called("a version")]
    location: Location = NOWHERE
    deprecated: Annotated[str, Form(names.TEXT, "a text for the users of the version", r"\S")] = ""
    internal: bool = False
    like: VersionName | None = None

    more: ClassVar[More] = {
        "if": {"required": ["internal"], "properties": {"internal": {"const": True}}},
        "then": {"not": {"required": ["deprecated"]}},
        "else": {"not": {"required": ["like"]}},
    }


class CarrierKeys(Keys, rename={"in_": "in"}):
    __doc__ = """Where the bags of one kind travel, and how much they may hold.

    in (as below): The carrier.
    budget (65536): The bytes that annotations and the slot of the status may use together, at most
        262144.
    drop_first (none): What to leave out first if the budget is too small, the least important
        first. A path covers everything below it, and `*` is one element or key.
    strict (none): Lists, such as `spec/rules` or `spec/pools/*/disks`, in which only keys and
        unchanged members identify an element: [how elements are known
        again](bags.md#how-elements-are-known-again).
    """

    in_: CarrierWord | None = None
    budget: Annotated[int, Range(1, ANNOTATIONS_LIMIT, "a number of bytes")] = DEFAULT_BUDGET
    drop_first: list[Dropped] | None = None
    strict: list[StrictList] | None = None


_NEEDS_VERSIONS: JsonObject = {
    "anyOf": [
        {"required": ["between"]},
        {
            "required": ["edges"],
            "properties": {
                "edges": {"type": "array", "description": "Edges given as pairs name versions."}
            },
        },
    ]
}


_SAID: JsonObject = {
    "type": ["string", "number", "array"],
    "items": {"type": ["string", "number"]},
    "minItems": 1,
}


class VersionAtKeys(Keys, kw_only=True):
    __doc__ = """The member in which documents say their version, and how they say it.

    member (required): The name of the member.
    values (the `const` of the schemas, else the name of the version): The value of the member in
        each version: a text or a number; or a list of them: documents get the first, and keep any.
    default (none): The version of documents that have no such member.
    kind_at (none): The member that says the kind, in a group with several.
    """

    member: MemberName | None
    values: dict[VersionName, Annotated[Any, Schema(_SAID)]] | None = None
    default: ListedVersion | None = None
    kind_at: MemberName | None = None


class GroupKeys(Keys, kw_only=True):
    __doc__ = """One group: its sources, the order and the graph of its versions, and the declared
    facts.

    package (the group's name): The Python package below `output`. Required if the name is not a
        Python name.
    api_group (from the CRDs, else `""`): The part of `apiVersion` before the slash. With `""`
        documents say `apiVersion: v1`, and their `metadata` is a property like any other.
    version_at (`apiVersion`, and `kind` for the kind): The member in which documents say their
        version: [documents of your own form](#documents-of-your-own-form).
    sources (required): Where the schemas come from, a list: [CRDs](#crds),
        [JSON Schema and OpenAPI](#json-schema-and-openapi), or one [declaration](#declarations).
    overlays (none): What the schemas leave out: [overlays](#overlays).
    versions (required): All versions, oldest first: [versions](#versions). The order is never
        derived from the names. A declaration has its own; with it they are listed only for
        `between` or pairs of `edges`.
    hub (the newest stable version): The storage version, or an internal one. A version whose name
        says alpha, beta, preview, rc or dev is not stable; if none is stable, the hub is the
        newest.
    edges (`chain`): Which versions are joined: [edges](#edges-and-the-hub).
    type_names (none): Names for anonymous objects, by path: [type names](#type-names).
    carrier (by kind): Where the bags of an API document travel: [carriers](#carriers).
    inner_documents (none): Documents of the group in annotations and strings of other objects:
        [inner documents](#inner-documents).
    crd (none): What the CRDs of the group say besides their schemas:
        [the CRDs of a group](#the-crds-of-a-group).
    between (none): What you declare about the differences between two versions:
        [between](#between).
    accept_refusals (none): What schemas may [refuse](validity.md) of converted objects without a
        report: [accepted refusals](#accepted-refusals).
    """

    package: GroupPackage | None = None
    api_group: ApiGroup | None = None
    version_at: MemberName | VersionAtKeys | None = None
    sources: list[CrdSource | SchemaSource | DeclaredSource] | None
    overlays: list[Annotated[OverlayConfig, Called("an overlay")]] | None = None
    versions: list[VersionName | VersionConfig] | None = None
    hub: ListedVersion | None = None
    edges: Literal["chain", "star"] | list[Pair] = "chain"
    type_names: dict[TypePath, ClassName] | None = None
    carrier: CarrierWord | dict[KindName, CarrierWord | CarrierKeys] | None = None
    inner_documents: list[Annotated[InnerConfig, Called("an entry of inner_documents")]] | None = (
        None
    )
    crd: Annotated[CrdConfig, Called("crd")] | None = None
    between: (
        dict[Annotated[str, Form(names.PAIR, "a pair of versions such as v1 -> v2")], Types] | None
    ) = None
    accept_refusals: list[Annotated[Accepted, Called("an entry of accept_refusals")]] | None = None

    more: ClassVar[More] = {
        "if": {
            "required": ["sources"],
            "properties": {
                "sources": {
                    "description": "A declaration lists the versions itself.",
                    "type": "array",
                    "contains": {"type": "object", "required": ["declared"]},
                }
            },
        },
        "then": {
            "properties": {
                "sources": {"maxItems": 1, "description": "A declaration must be the only source."}
            },
            "anyOf": [{"required": ["versions"]}, {"not": _NEEDS_VERSIONS}],
            "not": {"required": ["version_at"]},
        },
        "else": {"required": ["versions"]},
        "dependentSchemas": {
            "version_at": {
                "properties": {"api_group": {"const": ""}},
                "not": {"required": ["inner_documents"]},
            }
        },
    }


class ProjectKeys(Keys, kw_only=True):
    __doc__ = """Where the schemas of each group come from, how its versions are joined, how they
    differ.

    output (`generated`): The package for generated code, below the project's root, with dots
        between folders. Only holdall writes there.
    hooks (`hooks`): The package for hand-written hooks. It must not be inside `output`, nor
        `output` inside it.
    groups (required): The groups, each under a name of your choice.
    settings (none): Data for [hooks](hooks.md#settings), by names of your choice: JSON or YAML
        files below the root, one document each. holdall reads them when objects are converted.
    takes_over (none): The annotation in which [another converter](bags.md#taking-over) kept the
        object of the storage version, as JSON without metadata.
    breaking (none): What `holdall breaking` does not report:
        [known breaking changes](#known-breaking-changes).
    """

    output: Package = "generated"
    hooks: Package = "hooks"
    groups: Annotated[
        dict[str, GroupKeys] | None,
        Schema(
            {
                "type": "object",
                "minProperties": 1,
                "patternProperties": {f"^(?:{names.PACKAGE.pattern})$": {"$ref": "#/$defs/group"}},
                "additionalProperties": {
                    "$ref": "#/$defs/group",
                    "required": ["package"],
                },
            }
        ),
    ]
    settings: dict[SettingName, FilePattern] | None = None
    takes_over: Annotated[str, Form(names.TEXT, "the key of an annotation", r"\S")] = ""
    breaking: Annotated[BreakingConfig, Called("breaking")] | None = None

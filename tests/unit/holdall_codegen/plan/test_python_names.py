"""Python names: whatever a schema calls its members, types and versions, the code works."""

from __future__ import annotations

import builtins
import keyword
from typing import Any

import pytest

import holdall as h
from holdall.objects.shapes import shape_of
from holdall_codegen.plan.python_names import (
    attribute_names,
    constant_names,
    enum_members,
    free_name,
    module_names,
    snake_case,
)
from tests.property.specimens import Specimen, specimen_of
from tests.support.checkers import mypy_says, ruff_says
from tests.support.commands import python
from tests.support.projects import group_of

# --- single names ---


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("clusterIP", "cluster_ip"),
        ("hostIPs", "host_ips"),
        ("HTTPGetAction", "http_get_action"),
        ("podCIDRs", "pod_cidrs"),
        ("kebab-case.dotted", "kebab_case_dotted"),
        ("$ref", "ref"),
        ("__x", "x"),
        ("_private", "private"),
        ("3d", "n3d"),
        ("", "member"),
        ("名前", "member"),
    ],
)
def test_snake_case(name: str, expected: str) -> None:
    """Acronyms stay in one piece; what no identifier can hold falls away."""
    assert snake_case(name) == expected


def test_an_exact_name_has_the_first_right() -> None:
    """Names that collide get underscores, in code-point order, and the exact one gets none."""
    names = attribute_names(["hostIp", "hostIP", "host_ip", "host-ip"])
    assert names == {
        "host_ip": "host_ip",
        "host-ip": "host_ip_",
        "hostIP": "host_ip__",
        "hostIp": "host_ip___",
    }


def test_the_order_of_members_does_not_matter() -> None:
    """Equal sets of members give equal names."""
    names = ["hostIp", "hostIP", "host_ip", "class", "class_", "Class"]
    assert attribute_names(names) == attribute_names(reversed(names))


RUNTIME_ATTRIBUTES = sorted(
    name
    for name in {
        *dir(h.StorageRoot),
        *h.StorageRoot.__annotations__,
        *type(h.StorageRoot).__annotations__,
    }
    if not name.startswith("__")
)


@pytest.mark.parametrize("name", RUNTIME_ATTRIBUTES)
def test_no_member_hides_what_the_runtime_defines(name: str) -> None:
    """Every method and class variable of the bases is reserved, whoever adds one."""
    assert attribute_names([name])[name] != name or name.startswith("_")


@pytest.mark.parametrize(
    "name", sorted({*keyword.kwlist, *(n for n in dir(builtins) if n.islower() and n[0] != "_")})
)
def test_no_member_is_a_keyword_or_hides_a_builtin(name: str) -> None:
    """Keywords and the builtins of this interpreter get an underscore, or are in small letters."""
    expected = f"{name}_" if name.islower() else name.lower()
    assert attribute_names([name]) == {name: expected}


def test_what_kubernetes_calls_annotations_keeps_its_name() -> None:
    """`from __future__ import annotations` binds a name that no module uses."""
    assert attribute_names(["annotations"]) == {"annotations": "annotations"}


def test_version_modules_are_importable_and_unique() -> None:
    """Modules differ, hide neither imports nor local names, and the enum's members differ."""
    versions = ["v1", "V1", "v1.", "2021-01-01", "class", "source", "h", "storage", "名", "Any"]
    modules = module_names(versions)
    assert modules["v1"] == "v1"
    assert modules["2021-01-01"] == "v2021_01_01"
    assert len(set(modules.values())) == len(versions)
    for reserved in ("class", "source", "h", "storage"):
        assert modules[reserved] == f"{reserved}_"
    assert all(name.isidentifier() for name in modules.values())
    members = enum_members(modules)
    assert len(set(members.values())) == len(versions)
    assert members["v1"] == "V1"
    assert members["class"] == "CLASS"


def test_constants_are_unique_identifiers() -> None:
    """Every enum value has a constant of its own, the empty one too."""
    values = ["ReadOnly", "READ_ONLY", "read-only", "", "3", "*", "**", "é", "None", "mro"]
    constants = constant_names(values)
    assert constants["ReadOnly"] == "READ_ONLY"
    assert constants[""] == "EMPTY"
    assert constants["*"] == "VALUE_2A"
    assert len(set(constants.values())) == len(values)
    assert all(name.isidentifier() and name.isupper() for name in constants.values())


def test_free_name_adds_underscores() -> None:
    """A taken name gets as many underscores as it takes."""
    assert free_name("a", []) == "a"
    assert free_name("a", ["a", "a_"]) == "a__"


# --- a schema full of traps, generated ---

MEMBERS = sorted(
    {
        *keyword.kwlist,
        *keyword.softkwlist,
        *("list", "dict", "str", "int", "float", "bool", "type", "property", "classmethod"),
        *("isinstance", "object", "super", "id", "hash", "print", "NotImplemented"),
        *("field", "dataclass", "h", "self", "cls", "members", "stored", "lifted", "this", "get"),
        *("known", "value", "destination", "source", "bag", "hook", "item", "rest", "moved"),
        *("Any", "ClassVar", "Final", "Protocol", "SCHEME", "StrEnum", "abstractmethod", "v1"),
        *("v2", "storage", "annotations", *RUNTIME_ATTRIBUTES, "extra__", "property_bag_"),
        *("__x", "__x__", "__init__", "__dict__", "__slots__", "_private", "_", "__"),
        *("3d", "0", "00", "a-b", "a.b", "a/b", "a~b", "$x", " ", "größe", "名前", "\U0001f600"),
        *("hostIP", "hostIp", "host_ip", "propertyBag", "originalVersion", "apiVersion", "kind"),
        *("metadata", "spec", "status", '"quo\'te"', "it's", 'say "x"', "back\\slash"),
        *("line\nbreak", "tab\t", "{x}", "\u2028", "a b", "", "to", "back", "from"),
        *("make_trap", "Meta", "dump", "load", "fields", "dumps", "opts", "context"),
    }
)
TYPES = [
    *("Any", "Protocol", "Self", "SCHEME", "Object", "List", "None", "True", "H", "Type"),
    *("StorageObject", "ClassVar", "Final", "PropertyBag", "Lifted", "Exception", "Field"),
    *("FooBar", "Foo_Bar", "fooBar", "Other", "OtherTo", "AssignableOther", "V2", "Dataclass"),
    *("名前", "größe", "3d", "_x", "Str", "Crossing"),
]


def trap_schema(*, newer: bool) -> dict[str, Any]:
    """Return one version of the schema; numbers become integers, so that tables are needed."""
    number = {"type": "integer" if newer else "number"}
    text = {"type": "string", "description": 'Says """so""".\nOn\\two lines.'}
    small: dict[str, Any] = dict.fromkeys(("to", "back", "to_x", "x", "moves"), number)
    small |= {"only_new": text} if newer else {"only_old": text}
    definitions: dict[str, Any] = {
        name: {"type": "object", "properties": {"name": text, **small}} for name in TYPES
    }
    enum = {"type": "string", "enum": ["a", "A", "", "a b", "3", "None", '"', "é", "*", "**"]}
    reference = {"$ref": "#/$defs/Any"}
    listing = {"type": "array", "items": {"$ref": "#/$defs/FooBar"}}
    every: dict[str, Any] = {
        "Trap": {**dict.fromkeys(MEMBERS, text), "me": {"$ref": "#/$defs/Trap"}},
        "Number": dict.fromkeys(MEMBERS, number),
        "Reference": dict.fromkeys(MEMBERS, reference),
        "Enumeration": dict.fromkeys(MEMBERS[:30], enum),
        "Alone": {f"{name}{'New' if newer else 'Old'}": text for name in MEMBERS},
        "Listing": dict.fromkeys(MEMBERS, listing),
    }
    for name, properties in every.items():
        definitions[name] = {"type": "object", "properties": properties}
    pointers = (name.replace("~", "~0") for name in definitions)
    root: dict[str, Any] = {
        name: text for name in MEMBERS if name not in ("apiVersion", "kind", "metadata", "spec")
    }
    root["spec"] = {
        "type": "object",
        "properties": {f"p{at}": {"$ref": f"#/$defs/{name}"} for at, name in enumerate(pointers)},
    }
    for name in ("apiVersion", "kind"):
        root[name] = {"type": "string"}
    root["metadata"] = {"type": "object"}
    return {"title": "Thing", "type": "object", "properties": root, "$defs": definitions}


VERSIONS = ("v1", "source")
PLACES = {name: f"p{at}" for at, name in enumerate([*TYPES, "Trap", "Number", "Reference"])}


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory) -> Specimen:
    """The generated project of the trap schema; its newer version is named `source`."""
    schemas = {version: trap_schema(newer=version == VERSIONS[1]) for version in VERSIONS}
    group = group_of(schemas, group="names", api_group="names.example.com")
    return specimen_of(tmp_path_factory.mktemp("names"), *group)


def document(version: str) -> dict[str, Any]:
    """Return an object with every member that has a name in both versions."""
    return {
        "apiVersion": f"names.example.com/{version}",
        "kind": "Thing",
        "metadata": {"name": "x"},
        "spec": {
            PLACES["Trap"]: {name: f"<{name}>" for name in MEMBERS},
            PLACES["Number"]: {name: at for at, name in enumerate(MEMBERS)},
            PLACES["Reference"]: {name: {"name": name, "to": 1} for name in MEMBERS},
            PLACES["FooBar"]: {"to": 1, "back": 2, "to_x": 3, "x": 4, "moves": 5},
            PLACES["Foo_Bar"]: {"to": 6, "back": 7, "to_x": 8, "x": 9, "moves": 10},
            PLACES["OtherTo"]: {"x": 11, "unknown": None},
            PLACES["AssignableOther"]: {"x": 12},
        },
    }


def test_every_module_imports_without_a_warning(traps: Specimen) -> None:
    """A fresh interpreter that treats warnings as errors imports everything."""
    modules = ["names", *(f"names.{traps_module(v)}" for v in VERSIONS)]
    modules += [f"names.{traps_module(version)}.storage" for version in VERSIONS]
    code = "".join(f"import {traps.output}.{name}\n" for name in modules)
    # Third parties have deprecations of their own; what is compiled here is ours.
    warn = ["-W", "error::SyntaxWarning", "-W", "error::DeprecationWarning:__main__"]
    done = python(*warn, "-c", code, cwd=traps.root)
    assert (done.stderr, done.returncode) == ("", 0)


def traps_module(version: str) -> str:
    return module_names(VERSIONS)[version]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_document_survives(traps: Specimen, version: str) -> None:
    """Every member is read, written and converted there and back, whatever its name."""
    scheme = traps.scheme("names")
    original = document(version)
    other = next(name for name in VERSIONS if name != version)
    there = scheme.convert(original, to=other)
    assert there == {**original, "apiVersion": f"names.example.com/{other}"}
    assert scheme.convert(there, to=version) == original
    assert scheme.api_type("Thing", version).from_dict(original).to_dict() == original


def test_every_wire_name_has_its_own_attribute(traps: Specimen) -> None:
    """No two members of a type share an attribute, and every attribute is an identifier."""
    for cls in traps.types():
        found = list(shape_of(cls).attributes.values())
        assert len(set(found)) == len(found)
        assert all(name.isidentifier() and not keyword.iskeyword(name) for name in found)


def test_no_private_name_is_assigned_twice(traps: Specimen) -> None:
    """Tables, classes and protocols of a module have names of their own."""
    for version in VERSIONS:
        file = traps.root / traps.output / "names" / traps_module(version) / "storage.py"
        defined: list[str] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("class "):
                defined.append(line[6:].partition("(")[0])
            elif line[:1] == "_" and " = " in line:
                defined += line.partition(" = ")[0].split(", ")
        assert len(set(defined)) == len(defined)


def test_the_code_is_clean(traps: Specimen) -> None:
    """ruff finds nothing to say and nothing to format."""
    assert ruff_says(traps.root, traps.output) == ""


@pytest.mark.slow
def test_the_code_type_checks(traps: Specimen) -> None:
    """mypy --strict accepts all generated modules; the runtime has checks of its own."""
    assert mypy_says(traps.root, "-p", traps.output, silent=True) == ""

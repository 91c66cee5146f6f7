"""Every rule of a declaration: code, place in the declaration, line, and message."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdall_codegen.declared.model import Declaration
from holdall_codegen.declared.names import IMPORTED_NAMES
from holdall_codegen.declared.problems import WARNINGS, DeclarationError, DeclarationProblem
from holdall_codegen.declared.reading import read_source

HEADER = """\
from __future__ import annotations
from dataclasses import field
from typing import Annotated, Generic, TypeVar
import typing_extensions
from holdall.declare import *
"""
VERSIONS = 'VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"))\n'
MARK = "# !"
FINDERS = ("add", "_report", "_collide", "raise_problem", "NotAVersion")
_GONE = 'Gone = Annotated[int, removed("v1")]'


@dataclass(frozen=True)
class Specimen:
    """A declaration with one mistake, in the line that ends with the mark."""

    code: str
    path: str
    message: str
    text: str
    column: int = 0
    fix: str = ""


def read(text: str, *, versions: str = VERSIONS) -> Declaration:
    """Read a specimen; the versions stand before it unless it has its own."""
    text = textwrap.dedent(text)
    return read_source(HEADER + ("" if "Versions(" in text else versions) + text, "specimen.py")


def problems(text: str) -> list[DeclarationProblem]:
    """Return everything that is wrong with a specimen, warnings included."""
    try:
        found = read(text).warnings
    except DeclarationError as error:
        found = tuple(error.problems)
    return [problem for problem in found if isinstance(problem, DeclarationProblem)]


def codes(text: str) -> list[str]:
    return [problem.code for problem in problems(text)]


def field_of(annotation: str, name: str = "bar", before: str = "") -> str:
    """Return an object with one marked field."""
    return f"{before}\n@obj\nclass Foo:\n    {name}: {annotation}  {MARK}\n"


def variants(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"@obj\nclass Baz:\n    x: int\n@union\nclass Mode:\n    Plain: Unit\n{body}"


def specimens(text: str) -> Iterator[Specimen]:
    """Yield specimens from their texts: code, path and column; message; fix; the declaration.

    Where nothing is marked, the last line is; if it is indented, it is in a class `Foo` or `Mode`.
    """
    for block in text.strip("\n").split("\n\n"):
        head, message, *lines = block.split("\n")
        code, _, place = head.partition(" ")
        path, _, column = place.partition(" @")
        fix = lines.pop(0).removeprefix("fix: ") if lines[0].startswith("fix: ") else ""
        if MARK not in block:
            last = f"{lines.pop()}  {MARK}"
            holder = variants() if path.startswith("Mode") else "@obj\nclass Foo:\n"
            lines.append(holder + last if last.startswith("    ") else last)
        path = "" if path == "-" else path
        yield Specimen(code, path, message, "\n".join(lines), int(column or 0), fix)


_SPECIMENS = """
no_versions versions @12
at least one version
VERSIONS = Versions()

version_invalid_format versions[0].name @29
"1" is not a version: it must be like v1, v1alpha1 or v1beta1
VERSIONS = Versions(Version("1"))

version_level versions[1].name @44
"v1rc1" is not a version: the level "rc" is neither alpha nor beta
VERSIONS = Versions(Version("v1"), Version("v1rc1"))

versions_unsorted versions @12
versions must ascend: v1alpha1, v1
VERSIONS = Versions(Version("v1"), Version("v1alpha1"))

versions_duplicate versions
declared more than once: v1
VERSIONS = Versions(Version("v1"), Version("v01"))

missing_argument Foo.bar.added @25
`since` of `added` is required
    bar: Annotated[int, added()]

missing_argument FooSpec.crd @2
`group` of `resource` is required
@resource()  # !
class FooSpec:
    bar: int

missing_argument Foo.bar.added
`added` must be called with its arguments
    bar: Annotated[int, added]

unknown_argument Foo.bar.added @37
`added` has no argument `defualt`; did you mean "default"?
    bar: Annotated[int, added("v1", defualt=None)]

argument_invalid Foo.bar.added.since
`since` must be text, but cannot be evaluated: name 'v1' is not defined
    bar: Annotated[int, added(v1)]

argument_invalid Foo.bar
*[added('v1')] cannot be evaluated:
    bar: Annotated[int, *[added('v1')]]

argument_invalid Foo.bar
the default float('nan') is not a JSON value
    bar: Json = float('nan')

unknown_argument versions[0]
`Version` has no argument `depreciated`; did you mean "deprecated"?
VERSIONS = Versions(Version("v1", depreciated=True))

unknown_argument Foo.bar.added.default_from
`default_from` has no effect beside `default`
def derive(parent): return 1
    bar: Annotated[int, added("v1", default="builtins:int", default_from=derive)]

unknown_argument Foo.bar.added.fallback
`fallback` of `added` is for variants only
    bar: Annotated[int, added("v1", fallback=FAIL)]

unknown_argument versions[0].skip
a version cannot skip merged_crd
VERSIONS = Versions(Version("v1", skip=(Skip.MERGED_CRD,)))

argument_invalid options.tracking.carrier
`carrier` must be "status" or "annotation" or "bag", not 'spec'
VERSIONS = Versions(Version("v1"), tracking=Tracking(carrier="spec"))

argument_invalid Foo.bar
name 'dded' is not defined; did you mean "added"?
    bar: Annotated[int, dded("v1")]

duplicate_action Foo.bar @5
only one `added` is allowed, not 2
    bar: Annotated[int, added("v1beta1"), added("v1")]

added_unknown_version Foo.bar.added.since @31
`added` uses the version "v2", which is not declared
    bar: Annotated[int, added("v2")]

changed_unknown_version Foo.bar.changed[1].since
`changed` uses the version "v1beta2", which is not declared; did you mean "v1beta1"?
    bar: Annotated[int, changed("v1beta1", from_name="a"), changed("v1beta2", from_name="b")]

deprecated_unknown_version Foo.deprecated_bar.deprecated.since
is not declared
    deprecated_bar: Annotated[int, deprecated("v3")]

removed_unknown_version Foo.bar.removed.since
is not declared
    bar: Annotated[int, removed("v3")]

added_deprecated_same_version Foo.deprecated_bar
cannot be both added and deprecated in v1
    deprecated_bar: Annotated[int, added("v1"), deprecated("v1")]

added_after_deprecated Foo.deprecated_bar
added in v1 but deprecated earlier, in v1beta1
    deprecated_bar: Annotated[int, added("v1"), deprecated("v1beta1")]

removed_order Foo.bar
removed in v1beta1, but added in v1; `removed` must come last
    bar: Annotated[int, added("v1"), removed("v1beta1", default="builtins:int")]

removed_order Foo
removed in v1beta1, but exists only since v1
@obj(since="v1", removed="v1beta1")
class Foo:  # !
    bar: int

changes_unsorted Foo.bar
changes must ascend: v1beta1, v1
    bar: Annotated[int, changed("v1", from_name="b"), changed("v1beta1", from_name="a")]

changed_twice_same_version Foo.bar
two changes in v1
    bar: Annotated[int, changed("v1", from_name="b"), changed("v1", from_name="a")]

changed_without_from Foo.bar.changed[0]
changes nothing: it has no `from_
    bar: Annotated[int, changed("v1")]

upgrade_with_needs_from_type Foo.bar.changed[0].upgrade_with @54
has no effect without `from_type`
    bar: Annotated[int, changed("v1", from_name="b", upgrade_with="builtins:abs")]

downgrade_with_needs_from_type Foo.bar.changed[0].downgrade_with
has no effect without `from_type`
    bar: Annotated[int, changed("v1", from_name="b", downgrade_with="builtins:abs")]

from_name_has_deprecation_prefix Foo.bar.changed[0].from_name
must not start with `deprecated_`
    bar: Annotated[int, changed("v1", from_name="deprecated_b")]

from_name_invalid Foo.bar.changed[0].from_name
"b-c" is not an identifier
    bar: Annotated[int, changed("v1", from_name="b-c")]

deprecation_prefix_missing Foo.bar
the name of a deprecated item starts with `deprecated_`
fix: call it deprecated_bar
    bar: Annotated[int, deprecated("v1")]

deprecation_prefix_missing Foo.deprecated_
starts with `deprecated_`
    deprecated_: Annotated[int, deprecated("v1")]

deprecation_prefix_unexpected Foo.deprecated_bar
only the names of deprecated items start with `deprecated_`
    deprecated_bar: int

native_deprecated_attribute Foo.bar
is another library's mark of deprecation
    bar: Annotated[int, typing_extensions.deprecated("x")]

native_deprecated_attribute Foo
is another library's mark of deprecation
@obj
@typing_extensions.deprecated("x")  # !
class Foo:
    bar: int

variant_name_case Mode.tls
not in PascalCase
fix: Tls
    tls: Baz

variant_name_case Mode.Tls.changed[0].from_name
"my_tls" is not in PascalCase
fix: write "MyTls"
    Tls: Annotated[Baz, changed("v1", from_name="my_tls")]

name_collision Foo v1alpha1 a
a and b are both called a in v1alpha1
@obj
class Foo:
    a: int
    b: Annotated[int, changed("v1beta1", from_name="a")]  # !

serialized_name_collision Foo v1alpha1 fooBar
foo_bar and fooBar both have the JSON name "fooBar" in v1alpha1
@obj(rename_all="camelCase", removed="v1beta1")
class Foo:
    foo_bar: int
    fooBar: int  # !

serialized_name_collision FooStatus v1 changedValues
has the JSON name of the tracked values
VERSIONS = Versions(Version("v1"), tracking=Tracking())
@obj
class FooStatus:
    changed: Annotated[int, json_name("changedValues")]  # !
@resource(group="a.b", status=FooStatus)
class FooSpec:
    x: int

duplicate_name Foo
the class is declared twice, first on line 8
@obj
class Foo:
    a: int
@obj
class Foo:  # !
    b: int

duplicate_name Foo.a
the item is declared twice, first on line 9
@obj
class Foo:
    a: int
    a: str  # !

duplicate_name versions
versions are declared twice, first on line 6
A = Versions(Version("v1"))
B = Versions(Version("v1"))

duplicate_kind BarSpec
FooSpec has the kind Foo already
@resource(group="a.b")
class FooSpec:
    a: int
@resource(group="a.b", kind="Foo")
class BarSpec:  # !
    a: int

status_name_clash FooVersion
FooVersion is the name of a generated type: its version enum Foo of FooSpec
@resource(group="a.b")
class FooSpec:
    a: int
@obj
class FooVersion:  # !
    a: int

no_effect Foo.bar.added
changes nothing: v1alpha1 is the first version
    bar: Annotated[int, added("v1alpha1")]

no_effect Foo.bar.changed[0].from_name
`from_name` is the same as in the later version
    bar: Annotated[int, changed("v1", from_name="bar")]

default_missing Foo.bar
added in v1, but its type Mode has no default
@union
class Mode:
    A: Unit
    bar: Annotated[Mode, added("v1")]

variant_needs_fallback Mode.New
nothing says what replaces this variant in v1beta1 and older versions
    New: Annotated[Unit, added("v1")]

variant_needs_fallback Mode.New
the fallback "Plian" does not exist in v1beta1; did you mean "Plain"?
    New: Annotated[Unit, added("v1", fallback="Plian")]

variant_needs_fallback Mode.Old
nothing says what replaces this variant in v1 and newer versions
    Old: Annotated[Unit, removed("v1")]

function_not_importable Foo.bar.added.default @37
a lambda cannot be imported
    bar: Annotated[int, added("v1", default=lambda: 1)]

function_not_importable Foo.bar.added.default
name 'make_br' is not defined; did you mean "make_bar"?
def make_bar() -> int: return 1
    bar: Annotated[int, added("v1", default=make_br)]

function_not_importable Foo.bar.added.default
"no_such_pkg:make" cannot be imported: ModuleNotFoundError
    bar: Annotated[int, added("v1", default="no_such_pkg:make")]

function_not_importable Foo.bar.added.default
`textwrap` has no function `dedant`; did you mean
    bar: Annotated[int, added("v1", default="textwrap:dedant")]

function_not_importable Foo.bar.added.default
`outer.<locals>.inner`, a local function, cannot be imported
def outer():
    def inner(): return 1
    return inner
inner = outer()
    bar: Annotated[int, added("v1", default=inner)]

function_signature Foo.bar.added.default
is called with no argument, but is declared as make(n: int) -> int
fix: make it take no argument
def make(n: int) -> int: return n
    bar: Annotated[int, added("v1", default=make)]

function_signature Foo.bar.added.default
has to return int, but returns str
fix: make it return int, or name another function
def make() -> str: return ''
    bar: Annotated[int, added("v1", default=make)]

function_signature Foo.bar.changed[0].upgrade_with
gets None or str, but its parameter `text` is str
fix: make it take None or str, or name another function
def f(text: str) -> int: return 1
def g(n): return None
    bar: Annotated[int, changed("v1", from_type="str|None", upgrade_with=f, downgrade_with=g)]

unconvertible Foo.bar.changed[0]
Usize cannot become U16 without `downgrade_with`
    bar: Annotated[Usize, changed("v1", from_type=U16)]

unconvertible Foo.bar.removed
the value gets the default of its type on the way back
    bar: Annotated[int, removed("v1")]

unknown_type Foo.bar @15
there is no type `Bza` in the module; did you mean "Baz"?
@obj
class Baz:
    x: int
    bar: list[Bza]

unknown_type Foo.bar
tuple[int, int] is not
    bar: tuple[int, int]

unknown_type Foo.bar
union of several types
    bar: int | str

unknown_type Foo.bar
the keys of a dict are str
    bar: dict[int, str]

unknown_type Foo.bar
bytes is not a JSON type
fix: use the type that it has in documents, such as str
    bar: bytes

unknown_type Foo.bar
datetime is not a JSON type
fix: use the type that it has in documents, such as str
from datetime import datetime
    bar: datetime

unknown_type Foo.bar
Color is a Python enum
fix: declare a class with @union, and a variant of type Unit for each value
import enum
class Color(enum.Enum):
    RED = 1
    bar: Color

unknown_type Foo.bar
Literal['a', 'b'] is a list of values
fix: declare a class with @union, and a variant of type Unit for each value
from typing import Literal
    bar: Literal["a", "b"]

unknown_type Foo.bar
Unit is the payload of a variant
    bar: Unit

unknown_type Foo.bar
list needs the type
    bar: list

unknown_type Foo.bar
the class Plain is not declared
fix: put @obj above it
class Plain: pass
    bar: Plain

unknown_type Foo.bar @15
`U16` is not imported
fix: add `from holdall.declare import U16`
del U16
@obj
class Foo:
    bar: list[U16]  # !

unknown_type Foo.bar.changed[0].from_type
there is no type `U17` in the module
    bar: Annotated[int, changed("v1", from_type=U17)]

container_not_in_version Foo.bar
its type Baz does not exist in v1alpha1
@obj(since="v1beta1")
class Baz:
    x: int
    bar: Baz

spec_suffix_missing Foo
the name of a resource class must end in Spec
@resource(group="a.b", kind="Bar")
class Foo:  # !
    x: int

spec_suffix_missing Spec
must end in Spec
@resource(group="a.b", kind="Bar")
class Spec:  # !
    x: int

group_invalid FooSpec.crd.group @11
"Example_com" is not a DNS subdomain
@resource(group="Example_com")  # !
class FooSpec:
    x: int

scale_needs_status FooSpec.crd.scale
the scale subresource reads the status, but there is none
@resource(
    group="a.b",
    scale=scale(spec_replicas_path=".spec.x", status_replicas_path=".metadata.x"),  # !
)
class FooSpec:
    x: int

path_unknown FooSpec.crd.scale
FooSpec has no field "replcas"; did you mean "replicas"?
@obj
class FooStatus:
    replicas: int
@resource(group="a.b", status=FooStatus,
    scale=scale(spec_replicas_path=".spec.replcas", status_replicas_path=".status.replicas"))  # !
class FooSpec:
    replicas: int

path_unknown FooSpec.crd.selectable_fields
"spec.x" is not a path; write one such as .spec.replicas
@resource(group="a.b", selectable_fields=("spec.x",))  # !
class FooSpec:
    x: int

path_unknown FooSpec.crd.selectable_fields
Baz has no field "nme"; did you mean "name"?
T = TypeVar("T")
@obj
class Box(Generic[T]):
    content: T
@obj
class Baz:
    name: str
@resource(group="a.b", selectable_fields=(".spec.box.content.nme",))  # !
class FooSpec:
    box: Box[Baz]

path_unknown Foo.bar
the list key "nme" names no field of the elements; did you mean "name"?
@obj
class Baz:
    name: str
    bar: Annotated[list[Baz], list_key("nme")]

argument_invalid Foo.bar
`default_variant` marks a variant, but this is a field
    bar: Annotated[int, default_variant]

duplicate_action Mode.B
only one `default_variant` is allowed, and A has it
@union
class Mode:
    A: Annotated[Unit, default_variant]
    B: Annotated[Unit, default_variant]  # !

sub_struct_skip Foo.skip
can only skip FROM, not try_convert
@obj(skip=(Skip.TRY_CONVERT, Skip.FROM))  # !
class Foo:
    x: int

submodule_not_a_version options.reexport
"v2" is not a declared version
VERSIONS = Versions(Version("v1"), reexport={"v2": ("a.b",)})

submodule_item_not_use versions[0].reexport
"a b" is neither a module nor `module:Name`
VERSIONS = Versions(Version("v1", reexport=("a b",)))

item_not_allowed Foo
a function is not allowed in a declared class
@obj
class Foo:
    x: int
    def f(self): pass  # !

item_not_allowed Foo
a name without a type is not allowed in a declared class
fix: write its type, as in `y: str`, or move it out of the class
@obj
class Foo:
    x: int
    y = "z"  # !

item_not_allowed Mode
a name without a type is not allowed in a declared class
fix: write its type, as in `Fast: Unit`, or move it out of the class
    Fast = "fast"

item_not_allowed one @2
@obj has no effect above a function
fix: remove it
@obj()  # !
def one() -> int: return 1
@obj
class Foo:
    bar: Annotated[int, added("v1", default=one)]

item_not_allowed one
@obj has no effect above a function
@obj  # !
def one() -> int: return 1
@obj
class Foo:
    bar: Annotated[int, added("v1", default=one)]

item_not_allowed Inner @6
@union has no effect above a class inside other code
fix: move the class to the top level of the module
class Outer:
    @union  # !
    class Inner:
        Plain: Unit

item_not_allowed Foo
a declared class cannot have the base class Base
class Base: pass
@obj
class Foo(Base):  # !
    x: int

unknown_hint Foo.bar.hint
"lst" is not a hint; did you mean "list"?
    bar: Annotated[list[int], hint("lst")]

hint_mismatch Foo.bar.hint
the hint "option" contradicts the type list[int]
    bar: Annotated[list[int], hint("option")]

hint_mismatch Foo.bar.nested
`nested` contradicts the type list[int], which holds no declared class
    bar: Annotated[list[int], nested]

crate_override_conflict options.imports
`k8s` already replaces k8s_core
VERSIONS = Versions(Version("v1"), imports={"k8s": "a", "k8s_core": "b"})

crate_override_unknown options.imports
`runtmie` cannot be replaced; did you mean "runtime"?
VERSIONS = Versions(Version("v1"), imports={"runtmie": "a"})

argument_invalid options.imports
`imports` must be a mapping of names to import paths
VERSIONS = Versions(Version("v1"), imports={"runtime": "acme holdall"})

no_effect versions[1].skip
skips no edge: v2 is the last version
VERSIONS = Versions(Version("v1"), Version("v2", skip=(Skip.FROM,)))

unknown_type Foo.bar
T is not a type parameter of Foo
fix: derive Foo from Generic[T]
T = TypeVar('T')
    bar: list[T]

unknown_type Box
Box contains itself with ever longer type arguments
fix: hold Box[T], or another class
T = TypeVar('T')
@obj
class Box(Generic[T]):  # !
    value: T
    more: list[Box[list[T]]]

missing_argument Foo.bar.list_key
`list_key` takes at least one name of a field
@obj
class Baz:
    name: str
    bar: Annotated[list[Baz], list_key()]

argument_invalid Foo.bar.json_name.name
`name` must be a non-empty string
    bar: Annotated[int, json_name("")]

argument_invalid Foo.bar.changed[0].from_json_name
`from_json_name` must be a non-empty string
    bar: Annotated[int, changed("v1", from_json_name="")]

argument_invalid Foo.deprecated_bar.deprecated.note
`note` must be text, not 5
    deprecated_bar: Annotated[int, deprecated("v1", note=5)]

module_broken -
this is not valid Python: invalid syntax
x = = 1

module_broken -
the module cannot be imported: ModuleNotFoundError: No module named 'no_such_pkg'
import no_such_pkg

module_broken -
the module cannot be imported: ZeroDivisionError
def f(): return 1 / 0  # !
f()
"""
SPECIMENS = [
    *specimens(_SPECIMENS),
    *(
        Specimen(
            "unknown_argument",
            "Foo.bar",
            f"`{word}` is about an item, and has no effect inside its type",
            field_of(annotation, before=before),
            column,
            fix="write it in the Annotated around the whole type, or remove it",
        )
        for word, annotation, before, column in (
            ("added", 'list[Annotated[int, added("v1")]]', "", 10),
            ("added", 'Annotated[int, added("v1")] | None', "", 10),
            ("removed", 'Annotated[dict[str, list[Gone]], added("v1beta1")]', _GONE, 20),
            ("json_name", 'dict[str, Annotated[int, json_name("x")]]', "", 10),
        )
    ),
    *(
        Specimen(
            "argument_invalid",
            "FooSpec.crd.status",
            "`status` must be an object: tracked values are in it",
            'VERSIONS = Versions(Version("v1"), tracking=Tracking())\n'
            "@union\nclass State:\n    Done: int\n    Waiting: Unit\n"
            f'@resource(group="a.b", status={status})  {MARK}\nclass FooSpec:\n    x: int',
        )
        for status in ("State", "list[int]", "dict[str, int]", "int")
    ),
    *(
        Specimen(
            "status_name_clash",
            name,
            f"{name} is a name that generated modules use",
            f"@obj\nclass {name}:  {MARK}\n    a: int",
        )
        for name in sorted({*IMPORTED_NAMES, "v1"})
    ),
    Specimen(
        "status_name_clash",
        "Annotated",
        "Annotated is a name that generated modules use",
        f'from typing import Annotated as A\n@obj\nclass Annotated:  {MARK}\n    a: A[int, "kg"]',
    ),
    *(
        Specimen(
            "status_name_clash",
            f"{kind}Spec",
            f"{name}, {what}, is a name that generated modules use",
            f'@resource(group="a.b")\nclass {kind}Spec:  {MARK}\n    a: int',
            fix="give another kind=",
        )
        for kind, name, what in (
            ("Protocol", "Protocol", "the kind"),
            ("Converts", "Converts", "the kind"),
            ("Kind", "KindVersion", "its version enum"),
        )
    ),
    *(
        Specimen(
            "status_name_clash",
            "Protocol",
            "Protocol is a name that generated modules use",
            f"@union{skip}\nclass Protocol:  {MARK}\n    Tcp: Unit\n    Other: {payload}",
        )
        for skip, payload in (
            ("", "str"),
            ("", "tuple[()]"),
            ("", "int"),
            ("(skip=(Skip.FROM,))", "Unit"),
        )
    ),
    *(
        Specimen(
            "serialized_name_collision",
            f"Foo v1 {reserved}",
            f'has the JSON name "{reserved}" in v1, which holdall needs for itself',
            field_of(f'Annotated[int, {word}("{reserved}"), added("v1")]'),
            fix="give it another one",
        )
        for reserved in ("$propertyBag", "$value", "$unit", "residue:x", "$mistyped1")
        for word in ("json_name", "name")
    ),
]

PAIRED = {
    "added_changed_same_version": (
        'Annotated[int, added("v1"), changed("v1", from_name="a")]',
        "bar",
        "cannot be both added and changed in v1",
    ),
    "deprecated_changed_same_version": (
        'Annotated[int, changed("v1", from_name="a"), deprecated("v1")]',
        "deprecated_bar",
        "cannot be both deprecated and changed in v1",
    ),
}


@pytest.mark.parametrize(
    "specimen", SPECIMENS, ids=[f"{item.code}-{index}" for index, item in enumerate(SPECIMENS)]
)
def test_each_mistake_is_found_alone_at_its_place(specimen: Specimen) -> None:
    """A declaration with one mistake has one problem: its code, place, line and message."""
    found = problems(specimen.text)
    assert [(problem.code, problem.path) for problem in found] == [(specimen.code, specimen.path)]
    problem = found[0]
    assert specimen.message in problem.message
    assert specimen.fix in problem.fix
    text = textwrap.dedent(specimen.text)
    whole = HEADER + ("" if "Versions(" in text else VERSIONS) + text
    marked = [number for number, line in enumerate(whole.split("\n"), 1) if MARK in line]
    assert [problem.line] == marked
    assert problem.where == f"specimen.py:{problem.line}:{problem.column}"
    assert problem.column >= 1
    if specimen.column:
        assert problem.column == specimen.column


@pytest.mark.parametrize("code", sorted(PAIRED))
def test_changes_with_another_action_break_the_order_too(code: str) -> None:
    """A change in the version of another action is reported twice: as such, and by its order."""
    annotation, name, message = PAIRED[code]
    found = problems(field_of(annotation, name))
    assert [problem.code for problem in found] == sorted([code, "changed_order"])
    assert {problem.path for problem in found} == {f"Foo.{name}"}
    assert any(message in problem.message for problem in found)


def documented(root: Path) -> list[str]:
    """Return the codes of docs/declared.md."""
    page = (root / "docs/declared.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z_]+)` \| .+ \|$", page.partition("\n## Mistakes\n")[2], re.M)


def test_every_rule_has_a_specimen(project_root: Path) -> None:
    """No code exists without its test, and each is documented once."""
    shown = {item.code for item in SPECIMENS} | set(PAIRED) | {"changed_order"}
    assert sorted(shown) == sorted(documented(project_root))


def test_all_mistakes_come_in_one_run() -> None:
    """Versions, classes and items are all checked, several per class, in the order of the text."""
    found = codes("""
        VERSIONS = Versions(Version("v1"), Version("v1"), Version("x"), tracing="yes")
        @obj(skip=(Skip.MERGED_CRD,))
        class Foo:
            a: Annotated[bytes, added("v7"), added("v8", since="v9")]
            deprecated_b: Annotated[int, changed("v1", upgrade_with=lambda n: n)]
            def c(self): pass
        @resource(group="-")
        class Bar:
            a: Nothing
            a: list[Nothing]
        """)
    assert sorted(found) == sorted(
        [
            *("versions_duplicate", "version_invalid_format", "argument_invalid"),
            *("sub_struct_skip", "unknown_type", "added_unknown_version", "added_unknown_version"),
            *("unknown_argument", "duplicate_action", "deprecation_prefix_unexpected"),
            *("changed_without_from", "upgrade_with_needs_from_type", "function_not_importable"),
            *("no_effect", "item_not_allowed", "group_invalid", "spec_suffix_missing"),
            *("unknown_type", "unknown_type", "duplicate_name"),
        ]
    )


def test_warnings_do_not_stop_anything() -> None:
    """Warnings are part of the declaration; errors are raised."""
    declaration = read(field_of('Annotated[int, added("v1alpha1")]'))
    assert [problem.code for problem in declaration.warnings] == ["no_effect"]
    assert {"no_effect", "unconvertible"} == WARNINGS


def test_unconvertible_can_be_an_error() -> None:
    """`unconvertible="error"` forbids what would be left to hooks."""
    text = 'VERSIONS = Versions(Version("v1alpha1"), Version("v1"), unconvertible="error")\n'
    with pytest.raises(DeclarationError, match="unconvertible"):
        read(text + field_of('Annotated[Usize, changed("v1", from_type=U16)]'))


@pytest.mark.parametrize(
    "text",
    [
        field_of('Annotated[int, added("v1beta1"), changed("v1", from_name="a")]'),
        field_of('Annotated[list[int] | None, hint("option"), added("v1")]'),
        field_of("Annotated[list[Baz], nested]", before="@obj\nclass Baz:\n    x: int"),
        field_of(
            'Annotated[float, added("v1", default=make)]', before="def make() -> int: return 1"
        ),
        # So are annotations from Python 3.14 on, where only type checkers know the names.
        field_of(
            'Annotated[int, added("v1", default=Lazy)]',
            before="class Evaluated(type):\n"
            "    @property\n    def __annotations__(self): raise NameError\n"
            "class Lazy(int, metaclass=Evaluated): ...\n",
        ),
        field_of('"list[Foo]"'),
        field_of('Annotated["dict[str, Foo | None]", added("v1")]'),
        variants('New: Annotated[Unit, added("v1", fallback="Plain")]'),
        variants(
            'New: Annotated[Unit, added("v1beta1", fallback="Plain")]',
            'Newer: Annotated[Unit, added("v1", fallback="New")]',
        ),
        "@obj\nclass Foo: ...\n",
        "@obj\nclass Foo:\n    pass\n",
        field_of("Box[int]", before="T = TypeVar('T')\n@obj\nclass Box(Generic[T]):\n    value: T"),
        "",
    ],
)
def test_sound_declarations_have_no_problems(text: str) -> None:
    """What the reference allows is accepted without a warning."""
    assert problems(text) == []


def test_columns_count_characters() -> None:
    """Letters beyond ASCII before a mistake count as one column each."""
    text = field_of('Annotated[int, Doc("ü€"), added("v2")]')
    assert [problem.column for problem in problems(text)] == [42]


def test_every_code_is_documented(project_root: Path) -> None:
    """The page lists every code that a finding is made with."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for path in (project_root / "codegen/holdall_codegen/declared").glob("*.py")
    ]
    given = [
        call.args[0]
        for tree in trees
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func).rpartition(".")[2] in FINDERS
        and call.args
    ]
    named = {item.value for item in given if isinstance(item, ast.Constant)}
    assert len(named) > 30
    assert named <= {*documented(project_root)}


_ODD = """
None; 1; 1.5; True; "x"; "v1"; b''; (); []; {}; (1,); ("a", 1); ...; {"v1": 1}; {1: 2}; {"v1": [3]}
object(); object; lambda: 1; undefined; 1 / 0; "pkg:"; ":x"; "a b:c"; "("
FAIL; Unit; Json; list[int]; Skip.FROM; Version("v1"); added(); external()
external(1, default="x"); int | str; U8; Foo
"""
ODD = [odd for line in _ODD.split("\n") if line for odd in line.split("; ")]
PLACES = {
    "versions": 'VERSIONS = Versions(Version("v1alpha1"), Version("v1"), {})',
    "version": 'VERSIONS = Versions(Version("v1alpha1"), Version("v1", {}))',
    "tracking": 'VERSIONS = Versions(Version("v1"), tracking=Tracking({}))',
    "action": "a: Annotated[int, {}]",
    "added": 'a: Annotated[int, added("v1", {})]',
    "changed": 'a: Annotated[int, changed("v1", {})]',
    "deprecated": 'a: Annotated[int, deprecated("v1", {})]',
    "removed": 'a: Annotated[int, removed("v1", {})]',
    "word": "a: Annotated[int, json_name({0}), Doc({0}), list_key({0}), hint({0}), name({0})]",
    "type": "a: {}",
    "default": "a: int = {}",
    "obj": "@obj({})\nclass Odd:\n    a: int",
    "union": "@union({})\nclass Odd:\n    A: Unit",
    "resource": '@resource(group="a.b", {})\nclass OddSpec:\n    a: int',
    "column": '@resource(group="a.b", print_columns=(print_column({}),))\n'
    "class OddSpec:\n    a: int",
    "scale": '@resource(group="a.b", scale=scale({}))\nclass OddSpec:\n    a: int',
}
ARGUMENTS = {
    "versions": "allow_unsorted preserve_module tracking tracing unconvertible imports skip "
    "reexport rename_all",
    "version": "deprecated doc served skip reexport",
    "tracking": "entries track carrier on_bad_value",
    "added": "default default_from fallback downgrade_with",
    "changed": "from_name from_json_name from_type from_docs upgrade_with downgrade_with",
    "deprecated": "note",
    "removed": "default fallback upgrade_with",
    "obj": "rename_all since removed skip",
    "union": "rename_all since removed skip",
    "resource": "group kind singular plural namespaced status scale shortnames doc categories "
    "print_columns selectable_fields labels annotations rename_all skip",
    "column": "json_path type description format priority",
    "scale": "spec_replicas_path status_replicas_path label_selector_path",
}


@pytest.mark.parametrize("place", PLACES)
def test_nothing_odd_crashes_the_reader(place: str) -> None:
    """Any value in any argument gives a declaration or problems with a line, never a traceback."""
    template = PLACES[place]
    if template.startswith("a: "):
        template = f"@obj\nclass Foo:\n    {template}"
    for odd in ODD:
        for argument in ("", *ARGUMENTS.get(place, "").split()):
            text = template.replace("{0}", odd).replace(
                "{}", f"{argument}={odd}" if argument else odd
            )
            if not text.startswith("VERSIONS"):
                text = f"@obj\nclass Foo:\n    b: int\n{text}" if "Foo:" not in text else text
            for problem in problems(text):
                assert problem.line >= 1, text
                assert "Traceback" not in problem.message

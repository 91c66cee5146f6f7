"""Declarations that are right: chains, shapes, edges, names, documentation, resources."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import holdall.declare
from holdall.declare import Version, Versions, added, changed, obj, resource, union
from holdall.declare.calls import Call
from holdall_codegen.declared.model import Container, Declaration
from holdall_codegen.declared.problems import DeclarationError
from holdall_codegen.declared.reading import read_declaration, read_source
from holdall_codegen.declared.types import (
    DictOf,
    External,
    JsonType,
    ListOf,
    Named,
    OptionalOf,
    Parameter,
    Scalar,
    describe,
)

HEADER = """\
from __future__ import annotations
from dataclasses import field
from typing import Annotated, Generic, TypeVar
from holdall.declare import *
"""
CHAIN = """
VERSIONS = Versions(Version("v1alpha1"), Version("v1alpha2"), Version("v1beta1"), Version("v1"),
                    Version("v2"), allow_unsorted=True)
@obj
class Foo:
    deprecated_port: Annotated[U32, added("v1alpha2", default=one),
        changed("v1beta1", from_name="prt", from_type=U16, downgrade_with=narrow),
        deprecated("v2", note="use ports")]
def one() -> int: return 1
def narrow(n: int) -> int: return n % 65536
"""


def read(text: str) -> Declaration:
    return read_source(HEADER + textwrap.dedent(text), "specimen.py", module="specimen")


def names(container: Container) -> dict[str, list[str]]:
    return {version: [i.name for i in items] for version, items in container.shapes.items()}


def test_the_chain_of_the_reference() -> None:
    """The table of the reference: shape of the item in each version."""
    foo = read(CHAIN).container("Foo")
    assert {
        version: [(item.name, describe(item.type)) for item in items]  # type: ignore[arg-type]
        for version, items in foo.shapes.items()
    } == {
        "v1alpha1": [],
        "v1alpha2": [("prt", "U16")],
        "v1beta1": [("port", "U32")],
        "v1": [("port", "U32")],
        "v2": [("deprecated_port", "U32")],
    }


def test_the_edges_of_the_reference() -> None:
    """The table of the reference: appears, retyped pair, pair, renamed pair."""
    foo = read(CHAIN).container("Foo")
    edges = {
        newer: (
            [item.name for item in edge.appears],
            [(pair.older, pair.newer, pair.retyped) for pair in edge.pairs],
        )
        for (_, newer), edge in foo.edges.items()
    }
    assert edges == {
        "v1alpha2": (["prt"], []),
        "v1beta1": ([], [("prt", "port", True)]),
        "v1": ([], [("port", "port", False)]),
        "v2": ([], [("port", "deprecated_port", False)]),
    }
    retyped = foo.edges["v1alpha2", "v1beta1"].pairs[0]
    assert str(retyped.downgrade) == "specimen:narrow"
    assert (retyped.upgrade, retyped.implicit_upgrade, retyped.implicit_downgrade) == (
        None,
        True,
        False,
    )
    assert str(foo.edges["v1alpha1", "v1alpha2"].appears[0].default) == "specimen:one"


def test_a_note_holds_in_all_later_versions() -> None:
    """A deprecated item is so from its version on, with its note."""
    declaration = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"))
        @obj
        class Foo:
            deprecated_a: Annotated[int, deprecated("v1beta1", note="use b")]
            deprecated_b: Annotated[int, deprecated("v1")]
        """)
    found = {
        version: [(item.name, item.deprecated, item.deprecated_since) for item in items]
        for version, items in declaration.container("Foo").shapes.items()
    }
    assert found == {
        "v1alpha1": [("a", False, ""), ("b", False, "")],
        "v1beta1": [("deprecated_a", "use b", "v1beta1"), ("b", False, "")],
        "v1": [("deprecated_a", "use b", "v1beta1"), ("deprecated_b", True, "v1")],
    }


def test_the_order_of_the_text_does_not_count_if_it_need_not() -> None:
    """With allow_unsorted any order of versions and changes gives the same shapes."""
    text = """
        VERSIONS = Versions({versions}, allow_unsorted=True)
        @obj
        class Foo:
            c: Annotated[int, {changes}]
        """
    versions = [f'Version("{name}")' for name in ("v1", "v1alpha1", "v1beta1")]
    changes = ['changed("v1beta1", from_name="a")', 'changed("v1", from_name="b")']
    shapes = [
        names(
            read(text.format(versions=", ".join(order), changes=", ".join(reordered))).container(
                "Foo"
            )
        )
        for order in (versions, versions[::-1])
        for reordered in (changes, changes[::-1])
    ]
    assert shapes == [{"v1alpha1": ["a"], "v1beta1": ["b"], "v1": ["c"]}] * 4


def test_removed_items_vanish() -> None:
    """An item is there until it is removed, and may be added before."""
    foo = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"))
        @obj
        class Foo:
            a: Annotated[int, added("v1beta1"), removed("v1", default="builtins:int")]
            b: int
        """).container("Foo")
    assert names(foo) == {"v1alpha1": ["b"], "v1beta1": ["a", "b"], "v1": ["b"]}
    assert [item.name for item in foo.edges["v1beta1", "v1"].vanishes] == ["a"]
    assert str(foo.edges["v1beta1", "v1"].vanishes[0].default) == "builtins:int"


def test_json_names() -> None:
    """`json_name` holds while the item has its declared name, older ones follow the rule."""
    foo = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"),
                            rename_all="camelCase")
        @obj
        class Foo:
            one_two: Annotated[int, json_name("x"), changed("v1", from_name="old_one")]
            two: Annotated[int, changed("v1", from_json_name="deux")]
            three: Annotated[int, json_name("y"), changed("v1", from_type=U8,
                downgrade_with="builtins:int")]
            deprecated_four: Annotated[int, json_name("z"), deprecated("v1beta1")]
        """).container("Foo")
    assert {v: [item.json_name for item in items] for v, items in foo.shapes.items()} == {
        "v1alpha1": ["oldOne", "deux", "y", "four"],
        "v1beta1": ["oldOne", "deux", "y", "z"],
        "v1": ["x", "two", "y", "z"],
    }


def test_documentation_of_each_version() -> None:
    """`from_docs` is the text before, back to the next older one; strings stand under the item."""
    declaration = read("""
        VERSIONS = Versions(Version("v1alpha1", doc="  First.\\n   Line. "), Version("v1beta1"),
                            Version("v1"))
        @obj
        class Foo:
            '''A foo.'''
            a: Annotated[int, changed("v1beta1", from_docs="oldest"),
                         changed("v1", from_docs="older")]
            '''Newest.

            More.'''
            b: Annotated[int, Doc("Of b.")]
        """)
    foo = declaration.container("Foo")
    assert [items[0].doc for items in foo.shapes.values()] == [
        "oldest",
        "older",
        "Newest.\n\nMore.",
    ]
    assert foo.shapes["v1"][1].doc == "Of b."
    assert declaration.class_doc(foo, "v1alpha1") == "First.\nLine.\n\nA foo."
    assert declaration.class_doc(foo, "v1") == "A foo."


def test_types() -> None:
    """Every way to spell a type."""
    foo = read("""
        VERSIONS = Versions(Version("v1"))
        T = TypeVar("T")
        Quantity = Annotated[str, external("decimal:Decimal", default="builtins:str")]
        Names = list[str]
        @obj
        class Foo(Generic[T]):
            a: U8 | None
            b: "dict[str, list[Foo[int]]]"
            c: Json
            d: Annotated[Quantity | None, json_name("dd")]
            e: Names
            f: T
            g: Annotated[Json, external("fractions:Fraction")]
            h: list["Foo[T]"]
        """).container("Foo")
    assert [item.type for item in foo.shapes["v1"]] == [
        OptionalOf(Scalar("u8")),
        DictOf(ListOf(Named("Foo", (Scalar("int"),)))),
        JsonType(),
        OptionalOf(External("decimal:Decimal")),
        ListOf(Scalar("str")),
        Parameter("T"),
        External("fractions:Fraction"),
        ListOf(Named("Foo", (Parameter("T"),))),
    ]
    assert foo.parameters == ("T",)
    assert describe(foo.shapes["v1"][1].type) == "dict[str, list[Foo[int]]]"  # type: ignore[arg-type]


def test_unions() -> None:
    """Payloads, names that Python cannot have, and what becomes of new variants."""
    mode = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"))
        @obj
        class Tls:
            ca: str
        def down(mode): return "Plain"
        @union
        class Mode:
            Plain: Annotated[Unit, default_variant]
            tls: Annotated[Tls, name("Tls")]
            Pair: tuple[Tls, int]
            Vault: Annotated[Tls, added("v1beta1", fallback="Plain")]
            Newer: Annotated[Tls, added("v1", fallback="Renamed")]
            Renamed: Annotated[Unit, changed("v1", from_name="Before")]
            Own: Annotated[Unit, added("v1", downgrade_with=down)]
            Never: Annotated[Unit, added("v1", fallback=FAIL)]
        """).container("Mode")
    assert [(item.name, item.type) for item in mode.shapes["v1alpha1"]] == [
        ("Plain", None),
        ("Tls", Named("Tls")),
        ("Pair", (Named("Tls"), Scalar("int"))),
        ("Before", None),
    ]
    assert [item.fallback for item in mode.edges["v1alpha1", "v1beta1"].appears] == ["Plain"]
    appears = mode.edges["v1beta1", "v1"].appears
    assert [(item.name, item.fallback, str(item.replace_with)) for item in appears] == [
        ("Newer", "Before", "None"),
        ("Own", None, "specimen:down"),
        ("Never", None, "None"),
    ]
    assert mode.default_variant == "Plain"


def test_containers_of_some_versions() -> None:
    """`since` and `removed` limit shapes and edges."""
    declaration = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"), Version("v2"))
        @obj(since="v1beta1", removed="v2")
        class Foo:
            a: int
        """)
    foo = declaration.container("Foo")
    assert list(foo.shapes) == ["v1beta1", "v1"]
    assert list(foo.edges) == [("v1beta1", "v1")]


def test_defaults_of_fields() -> None:
    """Defaults of the class are kept as JSON values, or as the function that makes them."""
    foo = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1"))
        def three() -> list[int]: return [3]
        @obj
        class Foo:
            a: Annotated[int, added("v1")] = 42
            b: list[int] = field(default_factory=list)
            c: list[int] = field(default_factory=three)
            d: str | None = None
            e: int
        """).container("Foo")
    found = [(i.has_default, i.default, str(i.default_factory)) for i in foo.shapes["v1"]]
    assert found == [
        (True, 42, "None"),
        (True, [], "None"),
        (True, None, "specimen:three"),
        (True, None, "None"),
        (False, None, "None"),
    ]
    assert [item.name for item in foo.edges["v1alpha1", "v1"].appears] == ["a"]


def test_resources() -> None:
    """Names follow from the class, everything else is as given."""
    declaration = read("""
        VERSIONS = Versions(Version("v1", deprecated="use v2", served=False), Version("v2"),
                            skip=(Skip.MERGED_CRD,), imports={"runtime": "acme.holdall"})
        @obj
        class FooStatus:
            replicas: int
        @resource(group="example.com", namespaced=True, shortnames=("f",), status=FooStatus,
                  categories=("all",), labels={"a": "b"}, skip=(Skip.FROM,),
                  scale=scale(spec_replicas_path=".spec.replicas",
                              status_replicas_path=".status.replicas"),
                  print_columns=(print_column("Size", json_path=".spec.replicas", type="integer"),))
        class PolicySpec:
            '''A policy.'''
            replicas: Annotated[int, changed("v2", from_name="size")]
        """)
    policy = declaration.container("PolicySpec")
    found = policy.resource
    assert found is not None
    crd = found.crd
    assert (found.kind, crd.singular, crd.plural) == ("Policy", "policy", "policies")
    assert (found.group, crd.scope, found.doc) == ("example.com", "Namespaced", "A policy.")
    assert found.status == Named("FooStatus")
    scales = {name: (it.spec, it.status, it.selector) for name, it in (crd.scales or {}).items()}
    assert scales == {
        "v1": (".spec.size", ".status.replicas", None),
        "v2": (".spec.replicas", ".status.replicas", None),
    }
    assert [(item.name, item.path, item.type, item.versions) for item in crd.columns or ()] == [
        ("Size", ".spec.size", "integer", ["v1"]),
        ("Size", ".spec.replicas", "integer", ["v2"]),
    ]
    assert (crd.unserved, crd.warnings) == (["v1"], {"v1": "use v2"})
    assert policy.skip == {"merged_crd", "from"}
    assert policy.edges["v1", "v2"].skip == {"from"}
    assert declaration.options.imports == {"runtime": "acme.holdall"}
    v1 = declaration.version("v1")
    assert (v1.deprecated, v1.note, v1.served) == ("use v2", "use v2", False)


def test_the_plural_is_that_of_the_singular() -> None:
    """A singular of its own has a plural of its own, unless that is given too."""
    declaration = read("""
        VERSIONS = Versions(Version("v1"))
        @resource(group="example.com", singular="fieldmaus")
        class MouseSpec:
            size: int
        @resource(group="example.com", singular="goose", plural="geese")
        class BirdSpec:
            size: int
        """)
    resources = [item.resource for item in declaration.containers if item.resource]
    assert [(item.crd.singular, item.crd.plural) for item in resources] == [
        ("fieldmaus", "fieldmauses"),
        ("goose", "geese"),
    ]


def test_paths_follow_renames() -> None:
    """A path of the latest version has the names of each version; None where a field is absent."""
    declaration = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1"), Version("v1"))
        @obj
        class Part:
            count: Annotated[int, changed("v1", from_name="a_b")]
        @resource(group="a.b",
                  selectable_fields=(".spec.parts[0].count", ".spec.by_key['a b'].count",
                                     ".spec.new", ".metadata.name"))
        class FooSpec:
            parts: Annotated[list[Part], changed("v1beta1", from_name="pieces")]
            by_key: dict[str, Part]
            new: Annotated[int, added("v1beta1")]
        """)
    resource = declaration.container("FooSpec").resource
    assert resource is not None
    assert [(item.path, item.versions) for item in resource.crd.selectable] == [
        (".spec.pieces[0].a_b", ("v1alpha1",)),
        (".spec.parts[0].a_b", ("v1beta1",)),
        (".spec.parts[0].count", ("v1",)),
        (".spec.by_key['a b'].a_b", ("v1alpha1", "v1beta1")),
        (".spec.by_key['a b'].count", ("v1",)),
        (".spec.new", ("v1beta1", "v1")),
        (".metadata.name", ()),
    ]


def test_skip_of_a_version_is_about_the_next_edge() -> None:
    """Version(skip=) holds between it and the next version, for all classes."""
    foo = read("""
        VERSIONS = Versions(Version("v1alpha1"), Version("v1beta1", skip=(Skip.FROM,)),
                            Version("v1"))
        @union
        class Foo:
            A: Unit
        """).container("Foo")
    assert {newer: edge.skip for (_, newer), edge in foo.edges.items()} == {
        "v1beta1": frozenset(),
        "v1": {"from"},
    }


def test_reexports() -> None:
    """Re-exports of a version are those beside it and those of the mapping."""
    declaration = read("""
        VERSIONS = Versions(Version("v1", reexport=("a.b",)), Version("v2"),
                            reexport={"v1": ("c.d:Name",)})
        """)
    found = [(item.module, item.name) for item in declaration.version("v1").reexports]
    assert found == [("a.b", "*"), ("c.d", "Name")]
    assert declaration.containers == ()


def test_constructors_never_raise() -> None:
    """At run time anything may be given; it is recorded."""
    calls = [added(), changed(1, 2, 3, x=4), Version(name="a", nom="b"), Versions(1, y=2)]  # type: ignore
    assert repr(calls[1]) == "changed(1, 2, 3, x=4)"
    assert calls[2].keywords == {"name": "a", "nom": "b"}
    for decorator in (obj, union, resource):
        assert decorator(1, 2, nonsense=3)(type("Foo", (), {})).__name__ == "Foo"  # type: ignore


def test_every_constructor_has_a_signature_and_documentation() -> None:
    """The reader binds calls to the signature that people and type checkers see."""
    calls = [getattr(holdall.declare, name) for name in holdall.declare.__all__]
    for call in calls:
        if inspect.isclass(call) and issubclass(call, Call):
            assert call.__doc__
            assert "self" in inspect.signature(call.written).parameters


def test_the_runtime_does_not_load_the_generator() -> None:
    """Importing a declaring module needs the runtime only."""
    code = (
        "import sys, holdall.declare\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('holdall_codegen', 'click')])"
    )
    environment = {"PYTHONPATH": str(Path(holdall.declare.__path__[0]).parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert run.stdout.strip() == "[]"


def test_objects_can_be_made() -> None:
    """Functions may make objects of declared classes."""

    @obj
    class Foo:
        a: int
        b: str = "x"

    made = Foo(a=1)
    assert (made.a, made.b) == (1, "x")


def test_a_module_is_read_by_path_or_name(tmp_path: Path) -> None:
    """A file and its import name give the same declaration; imports beside it work."""
    package = tmp_path / "acme"
    package.mkdir()
    (package / "shared.py").write_text("def seven() -> int: return 7\n", encoding="utf-8")
    (package / "people.py").write_text(
        HEADER
        + "from acme.shared import seven\n"
        + 'VERSIONS = Versions(Version("v1alpha1"), Version("v1"))\n'
        + '@obj\nclass Foo:\n    a: Annotated[int, added("v1", default=seven)]\n'
        + '    b: Annotated[int, added("v1", default="acme.shared:seven")]\n',
        encoding="utf-8",
    )
    by_path = read_declaration(Path("acme/people.py"), root=tmp_path)
    by_name = read_declaration("acme.people", root=tmp_path)
    assert by_path == by_name
    assert (by_path.module, by_path.file) == ("acme.people", "acme/people.py")
    edge = by_path.container("Foo").edges["v1alpha1", "v1"]
    assert [str(item.default) for item in edge.appears] == ["acme.shared:seven"] * 2
    assert "acme.people" not in sys.modules


def test_each_reading_sees_its_own_modules(tmp_path: Path) -> None:
    """Packages of one name in two folders do not mix, and nothing stays imported."""
    for folder in ("one", "two"):
        package = tmp_path / folder / "acme_of_test"
        package.mkdir(parents=True)
        (package / "shared.py").write_text(f"TEXT = {folder!r}\n", encoding="utf-8")
        (package / "people.py").write_text(
            HEADER
            + "from acme_of_test.shared import TEXT\n"
            + 'VERSIONS = Versions(Version("v1", doc=TEXT))\n',
            encoding="utf-8",
        )
    before = list(sys.path)
    found = [
        read_declaration("acme_of_test.people", root=tmp_path / folder).versions[0].doc
        for folder in ("one", "two")
    ]
    assert found == ["one", "two"]
    assert sys.path == before
    assert [name for name in sys.modules if name.startswith("acme_of_test")] == []


@pytest.mark.parametrize(
    ("head", "encoding"), [("", "utf-8-sig"), ("# coding: latin-1\n", "latin-1")]
)
def test_a_module_is_read_as_python_reads_it(tmp_path: Path, head: str, encoding: str) -> None:
    """With the mark that some editors write before a text, and in the encoding that it names."""
    text = head + HEADER + 'VERSIONS = Versions(Version("v1", doc="größer"))\n'
    (tmp_path / "people.py").write_text(text, encoding=encoding, newline="\r\n")
    declaration = read_declaration(Path("people.py"), root=tmp_path)
    assert declaration.versions[0].doc == "größer"


def test_a_missing_module_is_a_problem(tmp_path: Path) -> None:
    """A module that is not there is reported as one that is broken."""
    for name in ("no_such_module_here", Path("no/such.py")):
        with pytest.raises(DeclarationError, match="module_broken"):
            read_declaration(name, root=tmp_path)


def test_the_usage_that_type_checkers_see_is_sound(project_root: Path) -> None:
    """The module of tests/typing has no mistakes for the reader either."""
    declaration = read_declaration(Path("tests/typing/declared_usage.py"), root=project_root)
    assert [container.name for container in declaration.containers] == [
        *("Baz", "Box", "Mode", "FooStatus", "FooSpec")
    ]
    assert declaration.warnings == ()


def test_the_words_may_be_used_by_any_name() -> None:
    """Neither postponed annotations nor direct imports are needed, and words may be shared."""
    declaration = read_source(
        textwrap.dedent("""
        import typing as t
        import holdall.declare as d

        SINCE = "v1"
        NEW = d.added(SINCE)
        NewName = t.Annotated[t.Optional[str], NEW]
        VERSIONS: d.Versions = d.Versions(*(d.Version(name) for name in ("v1alpha1", "v1")))

        @d.obj
        class Foo:
            a: t.Annotated[int, NEW]
            b: "t.Optional[t.List[Bar]]"
            c: t.Annotated[d.U8 | None, d.changed(since="v1", from_name="x")]
            name: NewName

        @d.obj()
        class Bar:
            foos: t.Dict[str, Foo]
        """)
    )
    foo = declaration.container("Foo")
    assert names(foo) == {"v1alpha1": ["b", "x"], "v1": ["a", "b", "c", "name"]}
    assert foo.shapes["v1"][1].type == OptionalOf(ListOf(Named("Bar")))
    assert foo.shapes["v1"][3].type == OptionalOf(Scalar("str"))
    assert declaration.container("Bar").shapes["v1"][0].type == DictOf(Named("Foo"))


@pytest.mark.parametrize(
    ("older", "newer", "up", "down"),
    [
        ("U8", "U16", True, False),
        ("U8", "I8", False, False),
        ("U8", "I16", True, False),
        ("I8", "U64", False, False),
        ("U32", "int", True, False),
        ("I64", "int", True, True),
        ("Usize", "U64", True, True),
        ("Usize", "int", False, False),
        ("int", "float", False, False),
        ("bool", "int", False, False),
        ("str", "str | None", True, False),
        ("U8 | None", "U16 | None", True, False),
        ("list[U8]", "list[U16] | None", True, False),
        ("dict[str, list[U8]]", "dict[str, list[U16]]", True, False),
        ("Names", "str", True, False),
        ("Mixed", "str", False, False),
        ("Box", "list[Box]", False, False),
        ("list[Box]", "list[Box | None]", True, False),
        ("int", "Json", False, False),
    ],
)
def test_implicit_conversions(older: str, newer: str, up: bool, down: bool) -> None:
    """Values convert without a function where nothing can be lost, at any depth."""
    text = """
        VERSIONS = Versions(Version("v1alpha1"), Version("v1"))
        @union
        class Names:
            A: Unit
            B: Unit
        @union
        class Mixed:
            A: Unit
            B: int
        @obj
        class Box:
            a: int
        @obj
        class Foo:
            a: Annotated[{newer}, changed("v1", from_type="{older}")]
        """
    declaration = read(text.format(older=older, newer=newer))
    pair = declaration.container("Foo").edges["v1alpha1", "v1"].pairs[0]
    assert (pair.implicit_upgrade, pair.implicit_downgrade) == (up, down)
    codes = [problem.code for problem in declaration.warnings]
    assert codes.count("unconvertible") == (not up) + (not down)

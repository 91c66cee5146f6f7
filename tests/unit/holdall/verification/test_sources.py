"""Hooks verified from their text: one specimen for each mistake, and spellings that are right.

A comment `# HA3xx` in a specimen marks the line where the problem of that code is to be found.
Those of single mistakes are in `data/mistakes.txt`, each with the message behind the code.
"""

from __future__ import annotations

import py_compile
import re
import sys
import textwrap
import zipfile
from collections.abc import Callable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pytest

from holdall.engine.functions import function
from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import Claims
from holdall.errors import Problem
from holdall.verification import (
    HookClass,
    HookSource,
    check_functions,
    check_package,
    find_sources,
    import_hooks,
    look_at_sources,
    verify_hooks,
)
from holdall.verification.mistakes import MISTAKES
from holdall_codegen.views.hook_import import generated_from

DATA = Path(__file__).parent / "data"
OLD = "generated.batch.v20210101.storage"
NEW = "generated.batch.v20220601.storage"
NEWEST = "generated.batch.v20230101.storage"


def _point(name: str, older: str, newer: str, must: tuple[str, str] = ("", "")) -> HookPoint:
    return HookPoint(
        protocol=f"Assignable{name}",
        module=older,
        older_version=older.split(".")[2],
        older_type=name,
        newer_version=newer.split(".")[2],
        newer_module=newer,
        newer_type=name,
        older_members=frozenset({"caching", "size", "vmSize"}),
        newer_members=frozenset({"cache", "size", "diskSize"}),
        must_claim_older=frozenset(filter(None, must[:1])),
        must_claim_newer=frozenset(filter(None, must[1:])),
    )


POOL = _point("Pool", OLD, NEW)
NEXT_POOL = _point("Pool", NEW, NEWEST)
ACCOUNT = _point("BatchAccount", OLD, NEW)
STRICT = _point("Disk", OLD, NEW, ("caching", "cache"))

HEAD = """\
from generated.batch.v20210101 import storage as v20210101
from generated.batch.v20220601 import storage as v20220601
from generated.batch.v20210101.storage import AssignablePool
from holdall import BagView, Claims, Composed, EachValue, SharedHook, TwoWay, claims
"""
TO = """\
    @claims(reads=["caching"], writes=["cache"])
    def assign_properties_to(
        self, source: v20210101.Pool, destination: v20220601.Pool, bag: BagView
    ) -> None:
        destination.cache = source.caching
"""
FROM = """\
    @claims(reads=["cache"], writes=["caching"])
    def assign_properties_from(
        self, source: v20220601.Pool, destination: v20210101.Pool, bag: BagView
    ) -> None:
        destination.caching = source.cache
"""
TO_LINE = (
    "    def assign_properties_to(self, source: v20210101.Pool,"
    " destination: v20220601.Pool, bag: BagView) -> None:"
)
CLASS = "class PoolHooks(AssignablePool):\n"


TYPES = ("Pool", "BatchAccount", "Disk")
GENERATED = {
    f"generated/batch/{version}/{file}": "from typing import Protocol\n"
    + "".join(f"class {name}: ...\n" for name in TYPES)
    + "".join(f"class Assignable{name}(Protocol): ...\n" for name in protocols)
    for version in ("v20210101", "v20220601", "v20230101")
    for file, protocols in (("__init__.py", ()), ("storage.py", TYPES))
} | {"generated/__init__.py": "", "generated/batch/__init__.py": ""}


def verify(
    text: str, *others: HookSource, points: tuple[HookPoint, ...] = (POOL, NEXT_POOL, ACCOUNT)
) -> tuple[list[HookClass], list[Problem]]:
    """Verify one module of the package `hooks`, and others beside it."""
    sources = [HookSource("hooks.pool", "hooks/pool.py", text), *others]
    with TemporaryDirectory() as name:
        root = Path(name)
        (root / "hooks").mkdir()
        (root / "hooks/__init__.py").touch()
        for source in sources:
            file = root / source.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source.text, encoding="utf-8", errors="surrogatepass")
        missing: list[str] = []
        with generated_from(root, GENERATED, "generated", "hooks", missing):
            imported = import_hooks("hooks", root, (), missing)
        sources = [source for source in find_sources("hooks", root=root) if not source.problem]
        imported.problems += look_at_sources(sources)
        return verify_hooks(imported, points, ["generated.batch"])


def marked(text: str) -> list[tuple[str, str]]:
    """List the marks of a specimen as code and place."""
    return [
        (code, f"hooks/pool.py:{number}")
        for number, line in enumerate(text.splitlines(), 1)
        for code in re.findall(r"# (HA\d+)", line)
    ]


def own(to: str = TO, back: str = FROM, head: str = CLASS) -> str:
    """Compose a module with one hook."""
    return HEAD + head + to + back


def with_claims(to: str, back: str = '@claims(reads=["cache"], writes=["caching"])') -> str:
    """Compose a module whose hook has these claims."""
    text = own().replace('@claims(reads=["caching"], writes=["cache"])', to)
    return text.replace('@claims(reads=["cache"], writes=["caching"])', back)


def with_line(line: str, body: str = "destination.cache = source.caching") -> str:
    """Compose a module whose hook defines the way to the newer version with this line."""
    return own(f"    @claims()\n    {line}\n        {body}\n")


PART = """\
class Tls(SharedHook):
    def claims_to(self): return Claims()
    def claims_from(self): return Claims()
    def assign_properties_to(self, source, destination, bag): return
    def assign_properties_from(self, source, destination, bag): return
"""

MACROS = {
    "HEAD": HEAD,
    "CLASS": CLASS,
    "TO": TO,
    "FROM": FROM,
    "TO_DEF": TO.split("\n", 1)[1],
    "FROM_DEF": FROM.split("\n", 1)[1],
    "PART": PART,
}
MESSAGE = re.compile(r"# (HA\d+)(:\d+)? (.*?)(?= +# HA|$)")
Found = tuple[str, str, str]


def expanded(block: str) -> str:
    """Write out the words of a specimen, alone in a line: a mark goes to the last `def` or `class`.

    Before a line of code, `OWN` is a module whose hook has that head, `LINE` one with that
    definition, and `CLAIMS` one with those claims.
    """
    forms = {"OWN": lambda line: own(head=f"{line}\n"), "LINE": with_line, "CLAIMS": with_claims}
    text = ""
    for line in block.splitlines():
        form, _, rest = line.partition(" ")
        code, blank, mark = line.partition("  # ")
        words = code.split()
        if form in forms:
            text += forms[form](rest)
        elif words and all(word in MACROS for word in words):
            *before, last = (MACROS[word] for word in words)
            first = re.compile("^ *(def|class) .*", re.MULTILINE)
            text += "".join(before) + first.sub(rf"\g<0>{blank}{mark}", last, count=1)
        else:
            text += f"{line}\n"
    return text


def specimen(block: str) -> tuple[str, list[Found]]:
    """Return the text of a module, and what is to be found in it: code, place and message.

    In messages `@to` and `@from` stand for the methods of `PoolHooks`.
    """
    lines: list[str] = []
    found: list[Found] = []
    for number, line in enumerate(expanded(block).splitlines(), 1):
        for code, column, message in MESSAGE.findall(line):
            told = re.sub("@(to|from)", r"PoolHooks.assign_properties_\1", message)
            found.append((code, f"hooks/pool.py:{number}{column}", told))
        lines.append(MESSAGE.sub(r"# \1", line))
    return "\n".join([*lines, ""]), found


def specimens() -> Iterator[tuple[str, tuple[str, list[Found]]]]:
    """Yield the specimens of all mistakes by their names."""
    hint = ". Did you mean 'reads'?" if sys.version_info >= (3, 13) else ""
    table = (DATA / "mistakes.txt").read_text(encoding="utf-8")
    for name, text in (("{OLD}", OLD), ("{NEW}", NEW), ("{HINT}", hint)):
        table = table.replace(name, text)
    for block in re.split("^== ", table, flags=re.MULTILINE)[1:]:
        title, _, text = block.partition("\n")
        yield title, specimen(text)


SPECIMENS = dict(specimens())


@pytest.mark.parametrize("name", SPECIMENS)
def test_each_mistake_is_found_at_its_line(name: str) -> None:
    """A mistake is reported with its code, line and message, and nothing else is reported."""
    text, expected = SPECIMENS[name]
    _, problems = verify(text)
    assert sorted((p.code, p.where, p.message) for p in problems) == sorted(expected)
    assert all(problem.fix for problem in problems)


BOUND = ("two hooks", "a scaffold as it was", "a part as it was")


@pytest.mark.parametrize("name", [name for name in SPECIMENS if name not in BOUND])
def test_a_broken_hook_is_not_bound(name: str) -> None:
    """A class with a mistake is not among the hooks."""
    text, _ = SPECIMENS[name]
    hooks, problems = verify(text)
    lines = {problem.where.split(":")[1] for problem in problems}
    assert lines.isdisjoint(str(hook.line) for hook in hooks)


def test_a_second_hook_in_another_module_names_both_places() -> None:
    """Two modules may not have a hook for one edge; the first is kept."""
    hooks, problems = verify(own(), HookSource("hooks.z", "hooks/z.py", "\n" + own()))
    assert [(p.code, p.where) for p in problems] == [("HA314", "hooks/z.py:6")]
    assert "the first is PoolHooks at hooks/pool.py:5" in problems[0].message
    assert [hook.module for hook in hooks] == ["hooks.pool"]


def test_properties_without_any_hook_are_told() -> None:
    """A point with properties that only a hook can handle needs one."""
    _, problems = verify("", points=(STRICT,))
    assert [(p.code, p.where, p.message) for p in problems] == [
        (
            "HA316",
            OLD,
            "no hook is bound to AssignableDisk (v20210101 -> v20220601), but"
            " caching of v20210101, cache of v20220601 must be claimed",
        )
    ]


def test_properties_for_a_hook_are_claimed_in_both_directions() -> None:
    """What only the hook can handle is read when its version is left and written when entered."""
    text = with_claims("@claims()  # HA346 # HA346", "@claims()  # HA346 # HA346")
    text = text.replace("Pool", "Disk")
    _, problems = verify(text, points=(STRICT,))
    assert [(p.code, p.where) for p in problems] == marked(text)
    assert [problem.message for problem in problems] == [
        f"DiskHooks.{method} does not claim to {duty}, which no generated code handles"
        for method, duty in (
            ("assign_properties_to", 'read "caching"'),
            ("assign_properties_to", 'write "cache"'),
            ("assign_properties_from", 'read "cache"'),
            ("assign_properties_from", 'write "caching"'),
        )
    ]
    assert verify(own().replace("Pool", "Disk"), points=(STRICT,))[1] == []
    # No generated code keeps it under its name, so the hook may.
    keeping = '@claims(reads=["caching"], writes=["cache", "bag:caching"])'
    back = '@claims(reads=["cache", "bag:caching"], writes=["caching"])'
    assert verify(with_claims(keeping, back).replace("Pool", "Disk"), points=(STRICT,))[1] == []


def test_a_misplaced_claim_says_where_it_belongs() -> None:
    """A property of the other side is to be moved to the other keyword."""
    _, problems = verify(with_claims('@claims(reads=["cache"])'))
    assert problems[0].fix == "`reads` names properties of the source; move it to `writes`"


def test_a_wrong_signature_is_shown_beside_the_right_one() -> None:
    """The message shows the definition as the module can write it."""
    line = TO_LINE.strip().replace(", bag: BagView", "")
    _, problems = verify(with_line(line))
    wrong, right = problems[0].detail.splitlines()
    assert wrong.split("#")[0].strip() == f"{line} ..."
    assert right == f"{TO_LINE.strip()} ...  # correct"


def test_an_unbound_class_is_shown_the_protocol_of_its_types() -> None:
    """The protocol is guessed from the twins in the annotations, before the imports."""
    text = own(head="class Anything:\n").replace(".Pool", ".BatchAccount")
    _, problems = verify(text)
    assert problems[0].detail == (
        "class Anything: ...                                    # incorrect\n"
        "class Anything(v20210101.AssignableBatchAccount): ...  # correct\n\n"
        f"class AssignableBatchAccount(Protocol):  # {OLD}\n"
        "    def assign_properties_to(self, source: v20210101.BatchAccount,"
        " destination: v20220601.BatchAccount, bag: BagView) -> None: ...\n"
        "    def assign_properties_from(self, source: v20220601.BatchAccount,"
        " destination: v20210101.BatchAccount, bag: BagView) -> None: ..."
    )


def test_all_mistakes_are_told_in_one_run_in_order() -> None:
    """Nothing stops at the first mistake; problems are ordered by module and line."""
    text = HEAD + "class A(v20210101.AssignablePol): ...  # HA310\nclass PoolHooks: ...  # HA312\n"
    broken = HookSource("hooks.a", "hooks/a.py", "def (")
    _, problems = verify(text, broken)
    assert [(p.code, p.where) for p in problems] == [*marked(text), ("HA302", "hooks/a.py:1:5")]


@pytest.mark.parametrize("text", ["\0", "(" * 100_000, "x = '\ud800'\n", "-" * 100_000 + "1"])
def test_no_text_breaks_the_verification(text: str) -> None:
    """Text that Python cannot parse is a problem, not an exception."""
    _, problems = verify(text)
    assert [problem.code for problem in problems] == ["HA301" if "\ud800" in text else "HA302"]


ACCEPTED: dict[str, str] = {
    "as in the manual": own(),
    "protocol by attribute": own(head="class PoolHooks(v20210101.AssignablePool):\n"),
    "whole dotted names": "import generated.batch.v20210101.storage\n"
    + "import generated.batch.v20220601.storage\n"
    + own(head=f"class PoolHooks({OLD}.AssignablePool):\n")
    .replace(": v20210101.", f": {OLD}.")
    .replace(": v20220601.", f": {NEW}."),
    "import as": f"import {OLD} as old, {NEW} as new, holdall as h\n"
    + own()
    .split("\n", 4)[4]
    .replace("v20210101", "old")
    .replace("v20220601", "new")
    .replace("(AssignablePool)", "(old.AssignablePool)")
    .replace("@claims", "@h.claims")
    .replace("BagView", "h.BagView"),
    "types by name": f"from {OLD} import Pool as Old, AssignablePool as Base\n"
    + f"from {NEW} import Pool\nfrom holdall.engine.hooks import BagView as View, claims as claim\n"
    + own()
    .split("\n", 4)[4]
    .replace("v20210101.Pool", "Old")
    .replace("v20220601.Pool", "Pool")
    .replace("(AssignablePool)", "(Base)")
    .replace("@claims", "@claim")
    .replace("BagView", "View"),
    "annotations in quotes": own()
    .replace(": v20210101.Pool", ': "v20210101.Pool"')
    .replace(": BagView", ": 'BagView'")
    .replace("-> None", '-> "None"'),
    "postponed annotations": "from __future__ import annotations\n"
    "from typing import TYPE_CHECKING\n"
    f"from {OLD} import AssignablePool\nfrom holdall import claims\n"
    "if TYPE_CHECKING:\n    from generated.batch.v20210101 import storage as v20210101\n"
    "    from generated.batch.v20220601 import storage as v20220601\n"
    "    from holdall import BagView\n" + own().split("\n", 4)[4],
    "aliases": own(
        head="Base = AssignablePool\nOld = v20210101.Pool\nclass PoolHooks(Base):\n"
    ).replace(": v20210101.Pool", ": Old"),
    "override and final": "from typing_extensions import final, override\n"
    + own("    @override\n" + TO, head="@final\n" + CLASS),
    "override below claims": "import typing_extensions as typing\n"
    + own(TO.replace("    def", "    @typing.override\n    def", 1)),
    "a mixin with helpers": own(
        head="class Helpers:\n    def shorten(self): return 1\n"
        "class PoolHooks(Helpers, AssignablePool):\n"
    ),
    "a class with defaults": own() + "    def __init__(self, size=3): self.size = size\n",
    "nothing to do in one direction": own(
        TO.replace("destination.cache = source.caching", "return")
    ),
    "tuples of claims": with_claims('@claims(reads=("caching",), writes=())', "@claims()"),
    "no claims in one direction": with_claims("@claims()"),
    "extras and keys": with_claims(
        '@claims(reads=["extra:x", "bag:b"], writes=["bag:a", "cache", "extra:x"])',
        '@claims(reads=["bag:a"], writes=["bag:b"])',
    ),
    "a generator inside": own(TO + "        list((lambda: (yield 1))())\n"),
    "typed check": own() + "_check: type[AssignablePool] = PoolHooks\n",
    "a class under a condition": HEAD + "if True:\n" + textwrap.indent(CLASS + TO + FROM, "    "),
    "a method under a condition": own("    if True:\n" + textwrap.indent(TO, "    ")),
    "a class decorator": own(head="def same(cls): return cls\n@same\n" + CLASS),
    "a method decorator": "import functools\n"
    + own(
        "    @wrapped\n" + TO,
        head="def wrapped(f): return functools.wraps(f)(lambda *args: f(*args))\n" + CLASS,
    ),
    "a metaclass": own(
        head="class Meta(type(AssignablePool)): ...\n"
        "class PoolHooks(AssignablePool, metaclass=Meta):\n"
    ),
    "computed claims": "NAME = 'caching'\n" + with_claims("@claims(reads=[NAME])"),
    "composed": HEAD + PART + "class All(Composed, AssignablePool):\n    parts = (Tls(), Tls())\n",
    "composed of named parts": HEAD + PART + "TLS = Tls()\nclass All(Composed, AssignablePool):\n"
    "    parts: tuple[Tls, ...] = (TLS, *[Tls()])\n",
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_correct_hooks_have_no_problems(name: str) -> None:
    """A correct hook is bound in every spelling."""
    hooks, problems = verify(ACCEPTED[name])
    assert problems == []
    assert [hook.point for hook in hooks] == [POOL]


def test_annotations_that_cannot_be_evaluated_contradict_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python 3.14 evaluates them when they are asked for: names for type checkers are not there."""

    def evaluate(function: Any, **_: object) -> dict[str, object]:
        if function.__annotations__:
            raise NameError("name 'Pool' is not defined")
        return {}

    monkeypatch.setattr("inspect.get_annotations", evaluate)
    assert verify(own())[1] == []
    assert [problem.code for problem in verify(own(head="class Anything:\n"))[1]] == ["HA312"]


def test_a_hook_carries_its_claims() -> None:
    """A hook is returned with its place and the claims of both directions."""
    hooks, _ = verify(own())
    (hook,) = hooks
    assert (hook.module, hook.name, hook.point) == ("hooks.pool", "PoolHooks", POOL)
    assert (hook.file, hook.line) == ("hooks/pool.py", 5)
    assert hook.claims_to == Claims(("caching",), ("cache",))
    assert hook.claims_from == Claims(("cache",), ("caching",))


def test_composed_hooks_have_no_written_claims() -> None:
    """The claims of a composed hook are computed at run time."""
    hooks, _ = verify(ACCEPTED["composed"])
    assert (hooks[0].claims_to, hooks[0].claims_from) == (None, None)


def test_computed_claims_are_verified_like_written_ones() -> None:
    """The claims of all parts together are compared with the edge; writes may not overlap."""

    def composed(*claims: str) -> str:
        parts = "".join(
            PART.replace("Tls", f"Part{n}").replace("Claims()", text, 1)
            for n, text in enumerate(claims)
        )
        made = ", ".join(f"Part{n}()" for n in range(len(claims)))
        return f"{HEAD}{parts}class All(Composed, AssignablePool):\n    parts = ({made},)\n"

    first = "Claims(('caching',), ('cache',))"
    _, problems = verify(composed(first, "Claims(('colour',), ('cache', 'bag:old'))"))
    assert [(p.code, p.where, p.message) for p in problems] == [
        (
            "HA342",
            "hooks/pool.py:11",
            'All.assign_properties_to reads "colour", which Pool of v20210101 does not have',
        ),
        (
            "HA344",
            "hooks/pool.py:11",
            'All.assign_properties_to writes "bag:old", but assign_properties_from does not'
            " read it",
        ),
        (
            "HA349",
            "hooks/pool.py:15",
            'two parts of All write "cache" in assign_properties_to',
        ),
    ]
    assert verify(composed(first))[1] == []


def test_the_other_edge_of_a_type_has_its_own_hook() -> None:
    """Equal protocol names of two versions are two points."""
    newer = own().replace("v20220601", "v20230101").replace("v20210101", "v20220601")
    hooks, problems = verify(own(), HookSource("hooks.newer", "hooks/newer.py", newer))
    assert problems == []
    assert [hook.point for hook in hooks] == [NEXT_POOL, POOL]


@pytest.mark.parametrize(
    "line", ["from .types import *names*", "from . import types", "from hooks.types import *names*"]
)
def test_names_are_followed_through_the_package(line: str) -> None:
    """Names that another module of the package imports are known, relative imports too."""
    names = "AssignablePool, BagView, claims, v20210101, v20220601"
    text = own().split("\n", 4)[4]
    if "*" not in line:
        for name in re.findall(r"\w+", names):
            text = re.sub(rf"(?<![\w.]){name}\b", f"types.{name}", text)
    types = HookSource("hooks.types", "hooks/types.py", HEAD)
    hooks, problems = verify(f"{line.replace('*names*', names)}\n{text}", types)
    assert (len(hooks), problems) == (1, [])


def test_relative_imports_start_at_the_package_in_its_init() -> None:
    """In `__init__.py` one dot is the package itself."""
    types = HookSource("hooks.batch.types", "hooks/batch/types.py", HEAD)
    text = "from .types import AssignablePool, BagView, claims, v20210101, v20220601\n"
    source = HookSource("hooks.batch", "hooks/batch/__init__.py", text + own().split("\n", 4)[4])
    hooks, problems = verify("", source, types)
    assert (len(hooks), problems) == (1, [])


def test_ordinary_classes_are_left_alone() -> None:
    """Helpers, exceptions and shared hooks of all depths are no hooks."""
    text = (
        HEAD + PART + "class HostTls(Tls): ...\nclass Oops(Exception): ...\n"
        "def helper():\n class Inner: ...\n return Inner\nclass TlsHook(SharedHook):\n"
        "    def assign_properties_to(self, source, destination, bag): return\n"
    )
    assert verify(text) == ([], [])


MARK = "raise RuntimeError('a hook module was run')\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with a package `sundry_hooks` of several levels, each of which fails when run."""
    for name in ("__init__", "b/__init__", "b/pool", "b/deep/account", "single", ".venv/skipped"):
        path = tmp_path / "sundry_hooks" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MARK)
    return tmp_path


MODULES = {
    "sundry_hooks": "sundry_hooks/__init__.py",
    "sundry_hooks.b": "sundry_hooks/b/__init__.py",
    "sundry_hooks.b.deep.account": "sundry_hooks/b/deep/account.py",
    "sundry_hooks.b.pool": "sundry_hooks/b/pool.py",
    "sundry_hooks.single": "sundry_hooks/single.py",
}


Find = Callable[[str], list[HookSource]]


@pytest.fixture(params=["folder", "import"])
def find(request: pytest.FixtureRequest, package: Path, monkeypatch: pytest.MonkeyPatch) -> Find:
    """Both ways to find sources."""
    monkeypatch.syspath_prepend(str(package))
    root = package if request.param == "folder" else None
    return lambda name: find_sources(name, root=root)


def test_all_modules_are_found_and_none_is_run(find: Find) -> None:
    """Both ways give the same modules and file names, without importing."""
    assert {source.module: source.file for source in find("sundry_hooks")} == MODULES
    assert "sundry_hooks" not in sys.modules


def test_a_part_of_the_package_is_found(find: Find) -> None:
    """A dotted name gives the modules below it, and a single module itself."""
    assert [s.module for s in find("sundry_hooks.b.deep")] == ["sundry_hooks.b.deep.account"]
    assert [s.file for s in find("sundry_hooks.single")] == ["sundry_hooks/single.py"]


def test_a_missing_package_has_no_sources(find: Find) -> None:
    """Neither a missing package nor a missing part of one is an error."""
    assert find("no_such_hooks") == find("sundry_hooks.missing") == find("no_such.hooks") == []


def test_unreadable_files_are_problems(find: Find, package: Path) -> None:
    """Text in another encoding and names that cannot be imported are told with their place."""
    folder = package / "sundry_hooks"
    (folder / "latin.py").write_bytes(b"# one\n# caf\xe9\n")
    (folder / "odd.py").write_bytes(b"# coding: klingon\n")
    (folder / "pool-hooks.py").write_text("")
    sources = [source for source in find("sundry_hooks") if source.problem]
    assert [str(source.problem) for source in sources] == [
        "HA301 sundry_hooks/latin.py:2:6: the file cannot be read: no utf-8 text\n"
        "    fix: make it readable, as UTF-8 text",
        "HA301 sundry_hooks/odd.py:1:1: the file cannot be read: unknown encoding: klingon\n"
        "    fix: make it readable, as UTF-8 text",
        "HA303 sundry_hooks/pool-hooks.py:1: the file cannot be imported: 'pool-hooks' is not a"
        " Python name\n    fix: rename it with letters, digits and underscores",
    ]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (".hid/pool.py", "Python imports no modules from '.hid'"),
        ("b/.hid/deep/pool.py", "Python imports no modules from '.hid'"),
        ("__pycache__/pool.py", "Python imports no modules from '__pycache__'"),
        ("pool.PY", "its name ends in '.PY', not in '.py'"),
        ("b/pool.Py", "its name ends in '.Py', not in '.py'"),
        ("pool.pyw", "its name ends in '.pyw', not in '.py'"),
        ("b.py", "the package b/ is imported instead"),
        ("../sundry_hooks.py", "Python prefers sundry_hooks/"),
    ],
)
@pytest.mark.parametrize("text", [own(), "from holdall import TwoWay as T\nclass Part(T): ...\n"])
def test_a_hook_that_would_never_be_imported(
    find: Find, package: Path, file: str, reason: str, text: str
) -> None:
    """HA307: no hook is ignored silently; files that are none may lie there."""
    path = package / "sundry_hooks" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("print('a script')\n")
    assert {source.module: source.file for source in find("sundry_hooks")} == MODULES
    path.write_text(text)
    found = [source.problem for source in find("sundry_hooks") if source.problem]
    shown = path.resolve().relative_to(package.resolve()).as_posix()
    assert [str(problem) for problem in found] == [
        f"HA307 {shown}:1: it looks like a hook but is never imported: {reason}\n"
        "    fix: move it to a folder that Python imports it from, or remove it"
    ]


@pytest.mark.parametrize("file", ["pool.pyc", f"b/ferry{EXTENSION_SUFFIXES[0]}"])
@pytest.mark.parametrize("text", [own(), "from holdall import TwoWay as T\nclass Part(T): ...\n"])
def test_a_compiled_hook_without_its_text(
    find: Find, package: Path, file: str, text: str, tmp_path: Path
) -> None:
    """HA301: it cannot be verified, and must not be ignored; other modules may be compiled."""
    path = package / "sundry_hooks" / file
    text_file = tmp_path / "pool.py"
    text_file.write_text("print('a helper')\n")
    py_compile.compile(str(text_file), str(path))
    assert {source.module: source.file for source in find("sundry_hooks")} == MODULES
    text_file.write_text(text)
    py_compile.compile(str(text_file), str(path))
    found = [source.problem for source in find("sundry_hooks") if source.problem]
    shown = path.resolve().relative_to(package.resolve()).as_posix()
    assert [str(problem) for problem in found] == [
        f"HA301 {shown}:1:1: the file cannot be read: it has no source text\n"
        "    fix: put its .py file there: hooks are verified by their source"
    ]
    path.with_name(f"{path.name.partition('.')[0]}.py").write_text(MARK)
    assert not [source.problem for source in find("sundry_hooks") if source.problem]


def test_a_compiled_module_of_hooks(tmp_path: Path) -> None:
    """Also where the package is a single module."""
    text = tmp_path / "text.py"
    text.write_text(own())
    py_compile.compile(str(text), str(tmp_path / "alone_hooks.pyc"))
    (found,) = find_sources("alone_hooks", root=tmp_path)
    assert found.file == "alone_hooks.pyc" and found.problem is not None


def test_links_to_folders_are_followed(find: Find, package: Path, tmp_path: Path) -> None:
    """As by an import; a link that leads back to a folder above it ends there."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pool.py").write_text(MARK)
    (package / "sundry_hooks/linked").symlink_to(elsewhere)
    (elsewhere / "back").symlink_to(package / "sundry_hooks")
    linked = {"sundry_hooks.linked.pool": "sundry_hooks/linked/pool.py"}
    assert {source.module: source.file for source in find("sundry_hooks")} == {**MODULES, **linked}


def test_packages_in_archives_are_found(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hooks package may lie in a zip file on the path."""
    archive = package / "hooks.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("zipped_hooks/__init__.py", MARK)
        file.writestr("zipped_hooks/pool.py", own())
    monkeypatch.syspath_prepend(str(archive))
    sources = find_sources("zipped_hooks", root=None)
    assert [(s.module, s.file) for s in sources] == [
        ("zipped_hooks", "zipped_hooks/__init__.py"),
        ("zipped_hooks.pool", "zipped_hooks/pool.py"),
    ]
    assert sources[1].text == own()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("no_such_module:f", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("json:no_such_function", "AttributeError: module 'json' has no attribute"),
        ("json:__name__", "TypeError: it is a str"),
    ],
)
def test_a_function_that_cannot_be_loaded_is_told(path: str, reason: str) -> None:
    """HA353: wherever in the values of a generated module it is named."""
    module = ModuleType("generated.things.v1.storage")
    module.pairs = {"a": [(function("json:dumps"), function(path))]}  # type: ignore[attr-defined]
    (problem,) = check_functions(module)
    assert (problem.code, problem.where) == ("HA353", module.__name__)
    assert problem.message.startswith(f"the function {path} cannot be loaded: {reason}")


def test_the_page_lists_every_mistake(project_root: Path) -> None:
    """Page and code have the same codes with the same messages."""
    page = (project_root / "docs/hook-mistakes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^### (HA3\d\d)\n\n> (.+)$", page, re.MULTILINE)
    assert dict(rows) == MISTAKES
    assert len(rows) == len(MISTAKES)


@pytest.mark.parametrize(("package", "near"), [("hoks", "hooks"), ("my.hooks", ""), ("zzz", "")])
def test_missing_package(tmp_path: Path, package: str, near: str) -> None:
    """HA308: whoever names a package means one that is there, as a folder or as one module."""
    (tmp_path / "hooks").mkdir()
    (tmp_path / "rules.py").touch()
    assert check_package("hooks", tmp_path, "here") == []
    assert check_package("rules", tmp_path, "here") == []
    (problem,) = check_package(package, tmp_path, "holdall.yaml:1:8")
    assert (problem.code, problem.where) == ("HA308", "holdall.yaml:1:8")
    folder = package.replace(".", "/")
    asked = f'; did you mean "{near}"?' if near else ""
    said = f"`hooks` names the package {package}, but there is no folder {folder}{asked}"
    assert problem.message == said


def test_every_mistake_has_a_specimen() -> None:
    """No code is left without a test, here or where hooks are bound."""
    unit = Path(__file__).parents[2]
    others = (
        *("holdall/scheme/test_binding.py", "holdall/scheme/test_projects.py"),
        *("holdall_codegen/views/test_unhandled.py", "holdall/verification/test_parts.py"),
        "holdall/verification/test_hooks_of_links.py",
    )
    files = Path(__file__), DATA / "mistakes.txt", *(unit / name for name in others)
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    assert set(re.findall(r"HA3\d\d", text)) == set(MISTAKES)


def test_a_composed_hook_may_have_several_edges() -> None:
    """One class composed of shared hooks is bound to every protocol that it derives from."""
    bases = "(Composed, AssignablePool, v20220601.AssignablePool)"
    hooks, problems = verify(ACCEPTED["composed"].replace("(Composed, AssignablePool)", bases))
    assert problems == []
    assert [(hook.name, hook.point) for hook in hooks] == [("All", POOL), ("All", NEXT_POOL)]

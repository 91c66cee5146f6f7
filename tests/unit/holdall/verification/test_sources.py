"""Hooks verified from their text: one specimen for each mistake, and spellings that are right.

A comment `# HA3xx` in a specimen marks the line where the problem of that code is to be found.
"""

from __future__ import annotations

import re
import sys
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

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
TYPO = (TO + FROM).replace("_to(", "_too(", 1).replace("_too(\n", "_too(  # HA330\n")


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


NOT_YET = "_to(self, source, destination, bag): raise NotImplementedError"


def two_way(members: str) -> str:
    """Compose a two-way hook."""
    return (
        "class Both(TwoWay):\n"
        + members
        + "    def to_newer(self, older): return older\n"
        + "    def to_older(self, newer): return newer\n"
    )


PART = """\
class Tls(SharedHook):
    def claims_to(self): return Claims()
    def claims_from(self): return Claims()
    def assign_properties_to(self, source, destination, bag): return
    def assign_properties_from(self, source, destination, bag): return
"""

# name: (specimen, the messages at its marks in order); `@to` and `@from` stand for the methods of
# `PoolHooks`
SPECIMENS: dict[str, tuple[str, ...]] = {
    "syntax error": ("class :\n", "the file is not valid Python: invalid syntax"),
    "base misspelt": (
        own(head="class PoolHooks(v20210101.AssignablePol):  # HA310\n"),
        (
            f"PoolHooks derives from {OLD}.AssignablePol, which is not a hook protocol;"
            f' did you mean "{OLD}.AssignablePool"?'
        ),
    ),
    "base in other letter case": (
        own(head="class PoolHooks(v20210101.assignable_pool):  # HA310\n"),
        (
            f"PoolHooks derives from {OLD}.assignable_pool, which is not a hook protocol;"
            f' did you mean "{OLD}.AssignablePool"?'
        ),
    ),
    "base of the API module": (
        "import generated.batch.v20210101 as v\nclass PoolHooks(v.AssignablePool): ...  # HA310\n",
        (
            "PoolHooks derives from generated.batch.v20210101.AssignablePool, which is not a hook"
            f' protocol; did you mean "{OLD}.AssignablePool"?'
        ),
    ),
    "base is a twin": (
        own(head="class PoolHooks(v20210101.Pool):  # HA310\n"),
        (
            f"PoolHooks derives from {OLD}.Pool, which is not a hook protocol;"
            f' did you mean "{OLD}.AssignablePool"?'
        ),
    ),
    "edge is gone": (
        "from generated.batch.v20190101.storage import AssignablePool\n"
        "class PoolHooks(AssignablePool): ...  # HA310\n",
        (
            "PoolHooks derives from generated.batch.v20190101.storage.AssignablePool, which is "
            "not a hook protocol: nothing generates that module"
        ),
    ),
    "import of a type that is gone": (
        f"from {OLD} import AssignablePools  # HA311\n",
        (
            f"{OLD}.AssignablePools is imported, but there is no such hook protocol;"
            f' did you mean "{OLD}.AssignablePool"?'
        ),
    ),
    "import from a misspelt package": (
        "from generated.bach.v20210101.storage import AssignablePool  # HA311\n",
        (
            "generated.bach.v20210101.storage.AssignablePool is imported, but there is no such"
            f' hook protocol; did you mean "{OLD}.AssignablePool"?'
        ),
    ),
    "unbound class with methods": (
        own(head="class Pools:  # HA312\n"),
        (
            "Pools looks like a hook (it defines assign_properties_to) but is bound to no "
            "protocol, so it never runs"
        ),
    ),
    "unbound class with a misspelt method": (
        own(TYPO, "", head="class Pools:  # HA312\n").replace(FROM, ""),
        (
            "Pools looks like a hook (it defines assign_properties_too) but is bound to no "
            "protocol, so it never runs"
        ),
        "Pools.assign_properties_too is not a method of a hook; did you mean assign_properties_to?",
    ),
    "unbound class with the name of a hook": (
        "class PoolHooks:  # HA312\n    def upgrade(self): return 1\n",
        (
            "PoolHooks looks like a hook (its name says so) but is bound to no protocol, so it "
            "never runs"
        ),
    ),
    "unbound composed class": (
        HEAD + PART + "class All(Composed):  # HA312\n    parts = (Tls(),)\n",
        (
            "All looks like a hook (it derives from Composed) but is bound to no protocol, so it "
            "never runs"
        ),
    ),
    "two protocols": (
        own(head="class PoolHooks(AssignablePool, v20220601.AssignablePool):  # HA313\n"),
        f"PoolHooks is bound to 2 protocols: {OLD}.AssignablePool, {NEW}.AssignablePool",
    ),
    "two hooks": (
        own() + "class Again(AssignablePool):  # HA314\n" + TO + FROM,
        (
            "Again is a second hook for AssignablePool (v20210101 -> v20220601); the first is "
            "PoolHooks at hooks/pool.py:5"
        ),
    ),
    "class in a function": (
        HEAD + "def make():\n class PoolHooks(AssignablePool): ...  # HA315\n",
        "PoolHooks is defined inside the function make, where holdall does not look for hooks",
    ),
    "class in a branch that is not run": (
        HEAD + "if False:\n class PoolHooks(AssignablePool): ...  # HA315\n",
        "PoolHooks is defined in a branch that is not run, where holdall does not look for hooks",
    ),
    "unbound class in a class": (
        "class All:\n class PoolHooks:  # HA315\n  def assign_properties_to(self): return\n",
        "PoolHooks is defined inside the class All, where holdall does not look for hooks",
    ),
    "class made by a call": (
        HEAD + "PoolHooks = type('PoolHooks', (AssignablePool,), {})  # HA315\n",
        "PoolHooks is defined by a call of type, where holdall does not look for hooks",
    ),
    "function outside a class": (
        "def assign_properties_to(self, source, destination, bag): return  # HA317\n",
        "the function assign_properties_to stands outside a class, so it never runs",
    ),
    "name bound again": (
        own(head=CLASS.replace("\n", "  # HA318\n")) + "PoolHooks = None\n",
        "PoolHooks is bound again in line 16, which hides this hook",
    ),
    "decorator that replaces the class": (
        own(head="def wrap(cls): return None\n@wrap\n" + CLASS.replace("\n", "  # HA319\n")),
        "PoolHooks cannot be used as it is written: its decorator replaces it",
    ),
    "base not imported": (
        own(head="class AccountHooks(AssignableBatchAccount):  # HA305\n"),
        (
            "the module hooks.pool cannot be loaded: NameError: name 'AssignableBatchAccount' is "
            "not defined"
        ),
    ),
    "an import that fails": (
        HEAD + "import no_such_module  # HA305\n",
        (
            "the module hooks.pool cannot be loaded: ModuleNotFoundError: No module named "
            "'no_such_module'"
        ),
    ),
    "a module that ends the program": (
        HEAD + "def end(): raise SystemExit(3)  # HA305\nend()\n",
        "the module hooks.pool cannot be loaded: SystemExit: 3",
    ),
    "a twin that is gone": (
        HEAD + f"from {OLD} import Pond  # HA305\n",
        f"the module hooks.pool cannot be loaded: {OLD}.Pond does not exist",
    ),
    "a constructor that fails": (
        own(head=CLASS.replace("\n", "  # HA305\n")) + "    def __init__(self): return 1 / 0\n",
        "PoolHooks cannot be loaded: ZeroDivisionError: division by zero",
    ),
    "a scaffold as it was": (
        own(
            TO.replace("_to(\n", "_to(  # HA352\n").replace(
                "destination.cache = source.caching", 'raise NotImplementedError("assign")'
            )
        ),
        "@to is not written yet: it only raises NotImplementedError",
    ),
    "a part as it was": (
        HEAD
        + PART.replace("_to(self, source, destination, bag): return", f"{NOT_YET}  # HA352")
        + "class All(Composed, AssignablePool):\n    parts = (Tls(),)\n",
        "Tls.assign_properties_to is not written yet: it only raises NotImplementedError",
    ),
    "a part that lacks something": (
        HEAD
        + PART.replace("    def claims_from(self): return Claims()\n", "")
        + "class All(Composed, AssignablePool):  # HA331\n    parts = (Tls(),)\n",
        "Tls lacks claims_from",
    ),
    "a member that EachValue misspells": (
        HEAD + "class All(Composed, AssignablePool):\n"
        "    parts = (EachValue('cachin', int, str, newer_name='cache'),)  # HA342\n",
        (
            'All.assign_properties_to reads "cachin", which Pool of v20210101 does not have; did '
            'you mean "caching"?'
        ),
    ),
    "a member that a two-way hook returns": (
        HEAD
        + two_way("    older = ('caching', 'extra:more')\n    newer = ('cache',)\n")
        .replace("return older", "return {'cahce': 1} if older else {**older, 'cache': 2}  # HA354")
        .replace("return newer", "return {'more': 1, 'cache': 2}  # HA354")
        + "class All(Composed, AssignablePool):\n    parts = (Both(),)\n",
        'Both.to_newer returns "cahce", which `newer` does not name; did you mean "cache"?',
        'Both.to_older returns "cache", which `older` does not name; did you mean "caching"?',
    ),
    "a function of a two-way hook that is empty, and one that is there twice": (
        HEAD
        + two_way("    older = ('caching',)\n    newer = ('cache',)\n")
        .replace("older): return older", "older): ...  # HA337")
        .replace("return newer\n", "return newer\n    def to_older(self, it): return it  # HA338\n")
        + "class All(Composed, AssignablePool):\n    parts = (Both(),)\n",
        "Both.to_newer is empty",
        "Both.to_older is defined more than once",
    ),
    "members that a two-way hook misspells": (
        HEAD
        + two_way("    older = ('vmsize',)  # HA342\n    newer = ('diskSise',)  # HA342\n")
        + "class All(Composed, AssignablePool):\n"
        "    parts = (Both(),)\n",
        *[
            f'All.assign_properties_to {verb} "{name}", which Pool of {version} does not have;'
            f' did you mean "{meant}"?'
            for name, version, meant, verb in (
                ("vmsize", "v20210101", "vmSize", "reads"),
                ("diskSise", "v20220601", "diskSize", "writes"),
            )
        ],
    ),
    "a member of a two-way hook under another name": (
        HEAD + two_way("    older = ('caching',)\n    newr = ('cache',)  # HA330\n"),
        "Both.newr is not a method of a hook; did you mean newer?",
    ),
    "a method that a two-way hook misspells": (
        HEAD
        + two_way("    older = newer = ('size',)\n")
        .replace("to_newer(self", "to_newr(self")
        .replace("older: return older", "")
        .replace("return older\n", "return older  # HA331\n")
        + "class All(Composed, AssignablePool):\n    parts = (Both(),)\n",
        "Both lacks to_newer; is it to_newr?",
    ),
    "a text as the names of members": (
        HEAD
        + two_way("    older = ('size')  # HA319\n    newer = ('size')  # HA319\n")
        + "class All(Composed, AssignablePool):\n    parts = (Both(),)\n",
        "Both cannot be used as it is written: `older` is a text, not a tuple of names",
        "Both cannot be used as it is written: `newer` is a text, not a tuple of names",
    ),
    "arguments to make it": (
        own() + "    def __init__(self, service): self.service = service  # HA319\n",
        (
            "PoolHooks cannot be used as it is written: __init__ takes arguments, and a hook is "
            "made without any"
        ),
    ),
    "Composed last": (
        HEAD + PART + "class All(AssignablePool, Composed):  # HA319\n    parts = (Tls(),)\n",
        "All cannot be used as it is written: Composed comes after another base",
    ),
    "hook of a hook": (
        own() + "class Special(PoolHooks):  # HA320\n    pass\n",
        "Special derives from PoolHooks, which is a hook itself",
    ),
    "no parts": (
        HEAD + PART + "class All(Composed, AssignablePool):  # HA321\n    part = (Tls(),)\n",
        'All is not composed correctly: it has no `parts`; did you mean "part"?',
    ),
    "no tuple of parts": (
        HEAD + PART + "class All(Composed, AssignablePool):\n    parts = [Tls()]  # HA321\n",
        "All is not composed correctly: its `parts` are not a tuple",
    ),
    "empty parts": (
        HEAD + "class All(Composed, AssignablePool):\n    parts = ()  # HA321\n",
        "All is not composed correctly: its `parts` are empty",
    ),
    "a class as part": (
        HEAD + PART + "class All(Composed, AssignablePool):\n    parts = (Tls,)  # HA321\n",
        "All is not composed correctly: `Tls` is a class, not a hook made from it; write `Tls()`",
    ),
    "a part that is not shared": (
        HEAD + "class Tls: ...\nclass All(Composed, AssignablePool):\n parts = (Tls(),)  # HA321\n",
        "All is not composed correctly: a Tls is not a shared hook",
    ),
    "parts without Composed": (
        own(head=PART + CLASS) + "    parts = (Tls(),)  # HA321\n",
        "PoolHooks is not composed correctly: it has `parts` but does not derive from Composed",
    ),
    "composed with a method": (
        HEAD
        + PART
        + "class All(Composed, AssignablePool):\n    parts = (Tls(),)\n"
        + TO.replace("_to(\n", "_to(  # HA322\n"),
        "All is composed of parts, so its own assign_properties_to never runs",
    ),
    "shared and bound": (
        HEAD + "class Tls(SharedHook, AssignablePool): ...  # HA323\n",
        f"Tls is a shared hook and bound to {OLD}.AssignablePool at the same time",
    ),
    "method misspelt": (
        HEAD + CLASS.replace("\n", "  # HA331\n") + TYPO,
        "PoolHooks lacks assign_properties_to; is it assign_properties_too?",
        "@too is not a method of a hook; did you mean assign_properties_to?",
    ),
    "method in camel case": (
        own(back=FROM + "    assignPropertiesTo = 1  # HA330\n"),
        (
            "PoolHooks.assignPropertiesTo is not a method of a hook; did you mean "
            "assign_properties_to?"
        ),
    ),
    "method with an underscore": (
        own(back=FROM + "    def _assign_properties_from(self): return  # HA330\n"),
        (
            "PoolHooks._assign_properties_from is not a method of a hook; did you mean "
            "assign_properties_from?"
        ),
    ),
    "shared hook's method misspelt": (
        HEAD + "class Tls(SharedHook):\n    def Assign_properties_to(self): return  # HA330\n",
        "Tls.Assign_properties_to is not a method of a hook; did you mean assign_properties_to?",
    ),
    "one direction": (
        own(back="", head=CLASS.replace("\n", "  # HA331\n")),
        "PoolHooks lacks assign_properties_from",
    ),
    "async": (
        with_line(TO_LINE.strip().replace("def", "async def") + "  # HA332"),
        "@to is an async function, not a plain method",
    ),
    "generator": (
        with_line(TO_LINE.strip(), "yield source  # HA332"),
        "@to is a generator, not a plain method",
    ),
    "staticmethod": (
        own("    @staticmethod  # HA332\n" + TO.replace("self, ", "")),
        "@to is a staticmethod, not a plain method",
    ),
    "classmethod": (
        own("    @classmethod  # HA332\n" + TO),
        "@to is a classmethod, not a plain method",
    ),
    "property": (own("    @property  # HA332\n" + TO), "@to is a property, not a plain method"),
    "lambda": (
        own("    assign_properties_to = lambda self, source, destination, bag: None  # HA332\n"),
        "@to is a value, not a plain method",
    ),
    "parameter missing": (
        with_line(TO_LINE.strip().replace(", bag: BagView", "") + "  # HA333"),
        "@to lacks the parameter `bag`",
    ),
    "parameter renamed": (
        with_line(TO_LINE.strip().replace("bag:", "box:") + "  # HA333"),
        "@to calls the parameter `bag` `box`",
    ),
    "parameter too many": (
        with_line(TO_LINE.strip().replace(", bag", ", more: int, bag") + "  # HA333"),
        "@to has the parameter `more`, which nobody passes",
    ),
    "self missing": (
        with_line(TO_LINE.strip().replace("self, ", "") + "  # HA333"),
        "@to lacks the parameter `self`",
    ),
    "keyword only": (
        with_line(TO_LINE.strip().replace(", bag", ", *, bag") + "  # HA333"),
        "@to takes `bag` by keyword only",
    ),
    "position only": (
        with_line(TO_LINE.strip().replace("BagView", "BagView, /") + "  # HA333 # HA333 # HA333"),
        "@to takes `source` by position only",
        "@to takes `destination` by position only",
        "@to takes `bag` by position only",
    ),
    "starred": (
        with_line("def assign_properties_to(self, *args: object) -> None:" + "  # HA333" * 4),
        "@to takes `*args`",
        "@to lacks the parameter `source`",
        "@to lacks the parameter `destination`",
        "@to lacks the parameter `bag`",
    ),
    "default": (
        with_line(TO_LINE.strip().replace("BagView", "BagView = None") + "  # HA333"),
        "@to gives `bag` a default",
    ),
    "parameters in another order": (
        with_line(
            "def assign_properties_to(self, bag: BagView, source: v20210101.Pool,"
            " destination: v20220601.Pool) -> None:  # HA333"
        ),
        "@to has its parameters in another order",
    ),
    "annotation missing": (
        with_line(TO_LINE.strip().replace("source: v20210101.Pool", "source") + "  # HA334"),
        "@to lacks the annotation of `source`",
    ),
    "result not annotated": (
        with_line(TO_LINE.strip().replace(" -> None", "") + "  # HA334"),
        "@to lacks the annotation of its result",
    ),
    "API type": (
        "from generated.batch import v20210101 as api\n"
        + with_line(TO_LINE.strip().replace("source: v20210101", "source: api") + "  # HA335"),
        (
            "@to annotates `source` with api.Pool, expected v20210101.Pool (an API type; hooks "
            "convert storage twins)"
        ),
    ),
    "twin of another type": (
        with_line(TO_LINE.strip().replace("20601.Pool", "20601.BatchAccount") + "  # HA335"),
        "@to annotates `destination` with v20220601.BatchAccount, expected v20220601.Pool",
    ),
    "directions mixed up": (
        with_line(
            "def assign_properties_to(self, source: v20220601.Pool, destination: v20210101.Pool,"
            " bag: BagView) -> None:  # HA335 # HA335"
        ),
        (
            "@to annotates `source` with v20220601.Pool, expected v20210101.Pool (the two "
            "directions are mixed up)"
        ),
        (
            "@to annotates `destination` with v20210101.Pool, expected v20220601.Pool (the two "
            "directions are mixed up)"
        ),
    ),
    "another bag": (
        with_line(TO_LINE.strip().replace("BagView", "dict") + "  # HA335"),
        "@to annotates `bag` with dict, expected BagView",
    ),
    "optional twin": (
        with_line(TO_LINE.strip().replace("101.Pool", "101.Pool | None") + "  # HA335"),
        "@to annotates `source` with v20210101.Pool | None, expected v20210101.Pool",
    ),
    "result annotated": (
        with_line(TO_LINE.strip().replace("None", "v20220601.Pool") + "  # HA336"),
        "@to returns v20220601.Pool; a hook changes its destination and returns None",
    ),
    "value returned": (
        with_line(TO_LINE.strip(), "return destination  # HA336"),
        "@to returns destination; a hook changes its destination and returns None",
    ),
    "only dots": (with_line(TO_LINE.strip() + "  # HA337", "..."), "@to is empty"),
    "only pass and a docstring": (
        with_line(TO_LINE.strip() + "  # HA337", '"""Later."""\n        pass'),
        "@to is empty",
    ),
    "method twice": (
        own(back=FROM + TO.replace("_to(\n", "_to(  # HA338\n")),
        "@to is defined more than once",
    ),
    "vertical edge": (
        "from generated.batch import v20210101 as api\n"
        + with_line(
            "def assign_properties_to(self, source: api.Pool, destination: v20210101.Pool,"
            " bag: BagView) -> None:  # HA339"
        ),
        "@to converts within v20210101; hooks join two versions",
    ),
    "no claims": (
        own(TO.split("\n", 1)[1].replace("_to(\n", "_to(  # HA340\n")),
        "@to does not declare what it claims",
    ),
    "claims not called": (
        with_claims("@claims  # HA341"),
        "@to: the claims cannot be read: claims() takes 0 positional arguments but 1 was given",
    ),
    "claims by position": (
        with_claims('@claims(["caching"])  # HA341'),
        "@to: the claims cannot be read: claims() takes 0 positional arguments but 1 was given",
    ),
    "claims under another keyword": (
        with_claims('@claims(read=["caching"])  # HA341'),
        "@to: the claims cannot be read: claims() got an unexpected"
        " keyword argument 'read'" + (". Did you mean 'reads'?" * (sys.version_info >= (3, 13))),
    ),
    "claims as one string": (
        with_claims('@claims(reads="caching")  # HA341'),
        "@to: the claims cannot be read: `reads` of claims is not a list of strings",
    ),
    "claims without order": (
        with_claims('@claims(reads=["caching"], writes={"cache"})  # HA341'),
        "@to: the claims cannot be read: `writes` of claims is not a list of strings",
    ),
    "claims of a part as one string": (
        HEAD
        + PART.replace(
            "claims_from(self): return Claims()", 'claims_from(self): return Claims("x")'
        )
        + "class All(Composed, AssignablePool):  # HA305\n    parts = (Tls(),)\n",
        "All cannot be loaded: TypeError: `reads` of claims is not a list of strings",
    ),
    "claims twice": (
        with_claims('@claims(reads=["size"])  # HA341\n    @claims(reads=["caching"])'),
        "@to: the claims cannot be read: @claims stands above it more than once",
    ),
    "unknown property read": (
        with_claims('@claims(reads=["vm_sizes"], writes=["cache"])  # HA342'),
        '@to reads "vm_sizes", which Pool of v20210101 does not have; did you mean "vmSize"?',
    ),
    "unknown property written": (
        with_claims("@claims()", '@claims(writes=[\n    "caching",\n    "cachin",  # HA342\n])'),
        '@from writes "cachin", which Pool of v20210101 does not have; did you mean "caching"?',
    ),
    "extra that is a property": (
        with_claims('@claims(reads=["extra:caching"], writes=["extra:size"])  # HA343 # HA343'),
        '@to reads "extra:caching", but Pool of v20210101 declares that property',
        '@to writes "extra:size", but Pool of v20220601 declares that property',
    ),
    "bag key of generated code": (
        with_claims('@claims(writes=["bag:caching"])  # HA351', '@claims(reads=["bag:caching"])'),
        '@to keeps "bag:caching", a key that generated code uses itself',
    ),
    "bag key of a mark": (
        with_claims('@claims(writes=["bag:$value"])  # HA351', '@claims(reads=["bag:$value"])'),
        '@to keeps "bag:$value", a key that generated code uses itself',
    ),
    "bag key never read": (
        with_claims('@claims(writes=["bag:old"])  # HA344'),
        '@to writes "bag:old", but assign_properties_from does not read it',
    ),
    "bag key never written": (
        with_claims('@claims(reads=["bag:old"])  # HA344'),
        '@to reads "bag:old", but assign_properties_from does not write it',
    ),
    "bag key misspelt on the way back": (
        with_claims(
            '@claims(writes=["bag:oldCache"])  # HA344', '@claims(reads=["bag:old_cache"])  # HA344'
        ),
        (
            '@to writes "bag:oldCache", but assign_properties_from does not read it; did you mean '
            '"bag:old_cache"?'
        ),
        (
            '@from reads "bag:old_cache", but assign_properties_to does not write it; did you '
            'mean "bag:oldCache"?'
        ),
    ),
    "claimed twice": (
        with_claims('@claims(reads=["caching", "caching"])  # HA345'),
        '@to reads "caching" twice',
    ),
    "empty claims": (
        with_claims('@claims(reads=["", "bag:"])  # HA347 # HA347'),
        '@to reads "", which is not a claim',
        '@to reads "bag:", which is not a claim',
    ),
    "prefix misspelt": (
        with_claims('@claims(reads=["extras:colour"])  # HA347'),
        '@to reads "extras:colour", which is not a claim; did you mean "extra:colour"?',
    ),
    "claims on a helper": (
        own(back=FROM + "    @claims()  # HA348\n    def helper(self): return\n"),
        "@claims on PoolHooks.helper has no effect",
    ),
    "claims on a shared hook": (
        HEAD + "class Base(SharedHook): ...\nclass Tls(Base):\n"
        "    @claims()  # HA348\n"
        "    def assign_properties_to(self, source, destination, bag): return\n",
        "@claims on Tls.assign_properties_to has no effect",
    ),
}


@pytest.mark.parametrize("name", SPECIMENS)
def test_each_mistake_is_found_at_its_line(name: str) -> None:
    """A mistake is reported with its code, line and message, and nothing else is reported."""
    text, *messages = SPECIMENS[name]
    messages = [re.sub("@(to|from)", r"PoolHooks.assign_properties_\1", it) for it in messages]
    _, problems = verify(text)
    places = marked(text) or [("HA302", "hooks/pool.py:1:7")]
    assert sorted(p.message for p in problems) == sorted(messages)
    assert sorted((p.code, p.where) for p in problems) == sorted(places)
    assert all(problem.fix for problem in problems)


BOUND = ("two hooks", "a scaffold as it was", "a part as it was")


@pytest.mark.parametrize("name", [name for name in SPECIMENS if name not in BOUND])
def test_a_broken_hook_is_not_bound(name: str) -> None:
    """A class with a mistake is not among the hooks."""
    text, *_ = SPECIMENS[name]
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
        (".hid/pool.py", "modules are not looked for in '.hid'"),
        ("b/.hid/deep/pool.py", "modules are not looked for in '.hid'"),
        ("__pycache__/pool.py", "modules are not looked for in '__pycache__'"),
        ("pool.PY", "its name ends in '.PY', not in '.py'"),
        ("b/pool.Py", "its name ends in '.Py', not in '.py'"),
        ("pool.pyw", "its name ends in '.pyw', not in '.py'"),
        ("b.py", "the package b/ is imported in its place"),
        ("../sundry_hooks.py", "sundry_hooks/ is there, too"),
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
        f"HA307 {shown}:1: it looks like a hook and is never imported: {reason}\n"
        "    fix: move it to where Python imports it from, or remove it"
    ]


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
    said = f"`hooks` names the package {package}, and there is no folder {folder}{asked}"
    assert problem.message == said


def test_every_mistake_has_a_specimen() -> None:
    """No code is left without a test, here or where hooks are bound."""
    unit = Path(__file__).parents[2]
    others = (
        *("holdall/scheme/test_binding.py", "holdall/scheme/test_projects.py"),
        *("holdall_codegen/views/test_unhandled.py", "holdall/verification/test_parts.py"),
    )
    files = Path(__file__), *(unit / name for name in others)
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    assert set(re.findall(r"HA3\d\d", text)) == set(MISTAKES)


def test_a_composed_hook_may_have_several_edges() -> None:
    """One class composed of shared hooks is bound to every protocol that it derives from."""
    bases = "(Composed, AssignablePool, v20220601.AssignablePool)"
    hooks, problems = verify(ACCEPTED["composed"].replace("(Composed, AssignablePool)", bases))
    assert problems == []
    assert [(hook.name, hook.point) for hook in hooks] == [("All", POOL), ("All", NEXT_POOL)]

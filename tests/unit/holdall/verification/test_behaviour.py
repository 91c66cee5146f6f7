"""What code does, as a digest: what changes it, and what does not."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from holdall.engine.code_texts import ModuleText
from holdall.verification.behaviour import SourceCode, imported_texts
from tests.support.projects import new_packages

_COUNTER = itertools.count()
HOOK = '''\
"""Hooks of one kind."""

import re
from typing import TYPE_CHECKING

from .helpers import clean, unused

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 3
OTHER = 4
TABLE = {}
TABLE["a"] = 1


def shorten(text: str) -> str:
    """Return the start."""
    # As in the form.
    return f"{clean(text)[:LIMIT]!r:>{LIMIT}}"


class Hook:
    """A hook."""

    older = ("a",)

    def to_newer(self, older: dict) -> dict:
        """Shorten."""
        return {"b": shorten(older["a"])}


def apart():
    return OTHER
'''
HELPERS = """\
def clean(text):
    return stripped(text) or None

def stripped(text):
    return text.strip()

def unused(text):
    return text
"""
Digest = Callable[..., str]


@pytest.fixture
def digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Digest:
    """Return what gives the digest of a hook after changes of the texts, in a new package."""

    def of(*changes: tuple[str, str], name: str = "Hook", **more: str) -> str:
        package, _ = new_packages()
        folder = tmp_path / f"{next(_COUNTER)}"
        monkeypatch.syspath_prepend(str(folder))
        texts = {"hook.py": HOOK, "helpers.py": HELPERS, "__init__.py": "", **more}
        (folder / package).mkdir(parents=True)
        for file, text in texts.items():
            for old, new in changes:
                text = text.replace(old, new)
            (folder / package / file).write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        code = SourceCode(imported_texts([package]), "generated")
        return code.digest([(f"{package}.hook", name)])

    return of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("    # As in the form.\n", "", id="comment"),
        pytest.param("# As in", "# Not as in", id="text of a comment"),
        pytest.param('    """Return the start."""\n', "", id="docstring of a function"),
        pytest.param('    """A hook."""\n', "    pass\n", id="docstring of a class"),
        pytest.param('"""Hooks of one kind."""', "", id="docstring of a module"),
        pytest.param("LIMIT = 3", "\n\nLIMIT = (\n    0x3\n)", id="layout"),
        pytest.param('"b"', "'b'", id="quotes"),
        pytest.param("shorten(text: str) -> str", "shorten(text)", id="hints of types"),
        pytest.param(
            "    from pathlib import Path", "    from pathlib import PurePath", id="typing"
        ),
        pytest.param("OTHER = 4", "OTHER = 5", id="what it does not use"),
        pytest.param("    return text\n", "    return text + '!'\n", id="an unused helper"),
        pytest.param("clean, unused", "clean", id="an unused import"),
        pytest.param("import re\n", "", id="an unused module"),
    ],
)
def test_what_does_nothing_changes_nothing(digest: Digest, old: str, new: str) -> None:
    assert old in HOOK + HELPERS
    assert digest((old, new)) == digest()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("LIMIT = 3", "LIMIT = 4", id="constant"),
        pytest.param("LIMIT = 3", "LIMIT = True", id="equal constant of another type"),
        pytest.param('older["a"]', 'older["c"]', id="text"),
        pytest.param('older = ("a",)', 'older = ("c",)', id="claim"),
        pytest.param(":LIMIT]", "LIMIT:]", id="statement"),
        pytest.param("!r:>", "!s:>", id="f-string"),
        pytest.param(
            "def to_newer(self, older: dict)", "def to_newer(self, *older)", id="arguments"
        ),
        pytest.param('TABLE["a"] = 1', 'TABLE["a"] = 2', id="what runs in any case"),
        pytest.param("text.strip()", "text.rstrip()", id="a helper of a helper elsewhere"),
        pytest.param("or None", "or 0", id="None"),
        pytest.param("from .helpers import clean,", "from re import escape as clean,", id="import"),
    ],
)
def test_what_is_done_differently_changes_it(digest: Digest, old: str, new: str) -> None:
    assert old in HOOK + HELPERS
    assert digest((old, new)) != digest()


def test_where_a_definition_is_makes_no_difference(digest: Digest) -> None:
    """Packages have other names each time; here a helper goes to another module."""
    helper = "def stripped(text):\n    return text.strip()\n"
    moved = (helper, "from .hook import stripped\n"), ("def apart():", f"{helper}\n\ndef apart():")
    assert digest(*moved) == digest()


@pytest.mark.parametrize(
    ("imports", "init"),
    [
        pytest.param("from . import helpers", "", id="a module"),
        pytest.param("from . import helpers as other", "", id="a module by another name"),
        pytest.param("from .helpers import *", "", id="all of a module"),
        pytest.param("from .helpers import clean as other", "", id="by another name"),
        pytest.param("from . import clean", "from .helpers import clean", id="handed on"),
    ],
)
def test_each_way_to_import_is_followed(digest: Digest, imports: str, init: str) -> None:
    used = imports.split()[-1].replace("*", "clean")
    at_top = f"{imports}\n\ndef function():\n    return {used}\n"
    inside = f"def function():\n    {imports}\n    return {used}\n"
    for hook in [at_top] if "*" in imports else [at_top, inside]:
        texts = {"hook.py": hook, "__init__.py": init}
        same = digest(name="function", **texts)
        assert digest(("text.strip()", "text"), name="function", **texts) != same


def test_without_definitions_there_is_no_digest() -> None:
    assert SourceCode(imported_texts([]), "generated").digest([]) == ""


def test_what_has_no_text_is_known_by_its_name() -> None:
    """As functions of Python itself; what is generated is not even named."""
    code = SourceCode(imported_texts(["builtins", "no_such_module", "generated"]), "generated")
    names = [("builtins", "int"), ("builtins", "str"), ("no_such_module", "f")]
    assert len({code.digest([one]) for one in names}) == 3
    generated = ("generated.people.v1", "TeamSpec")
    assert code.digest([names[0], generated]) == code.digest(names[:1])


SYNTAX = r"""
@decorated(1, *some, key=None, **more)
class Function(Base, metaclass=Meta):
    field: int = 0x_ff
    texts = b"\x00", 'joined' "text", r"\d", "\u00e9\U0001fae8", ..., 1e-400, 3.0, 2j

    async def act(self, one, /, two=-1, *rest, three: int | None = None, **others):
        global STATE
        async with one as opened, two:
            async for STATE in (item async for item in opened if item):
                await two
        try:
            del rest[0], rest[1:2, ::3]
            raise ValueError from None
        except* (TypeError, ValueError) as error:
            assert error, f"a {error = !r:>{two}} " "b" f"{one:}{{"
        else:
            yield lambda *a, b=1: (a, b)
        finally:
            return

    def match(self, value):
        match value:
            case {"a": [1, *_], **rest} | Function(field=None) | -1.5 as found if (x := rest):
                return not x <= found < ~1 is not None
            case _:
                pass
        while True:
            nonlocal_ = {*(), *[]} | {**{}} if value else [y async for y in z for w in y]
            nonlocal_ @= 1
            break
"""


def test_it_is_the_same_on_each_python(digest: Digest) -> None:
    """What was written down with one of them."""
    assert digest(name="Function", **{"hook.py": SYNTAX})[:16] == "7b8ca1ddb01fe982"


def test_imports_that_lead_out_of_the_package() -> None:
    """A module that runs in two ways tries one, and falls back on the other."""
    texts = {
        module: f"try:\n    from {there}shared import clean\nexcept ImportError:\n"
        f"    from shared import clean\n\ndef f():\n    return clean()\n"
        for module, there in (("hooks.a", ".."), ("hooks.b", ".."), ("hooks.c", "..."), ("d", "."))
    }

    def find(module: str) -> ModuleText | None:
        package = module.rpartition(".")[0]
        return ModuleText(texts[module].encode(), package) if module in texts else None

    digests = [SourceCode(find, "generated").digest([(module, "f")]) for module in texts]
    assert (digests[0] == digests[1], len({*digests})) == (True, 3)

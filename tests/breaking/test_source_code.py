"""Digests of code: what changes them, what does not, and where they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.verification.behaviour import SourceCode, texts_below

FILES = {
    "app/__init__.py": "from app.words import SEPARATOR\nfrom .texts import *\n",
    "app/hook.py": (
        "import app.numbers as n\n"
        "from app import SEPARATOR, texts, shown\n"
        "from outside import given\n"
        "from gen.types import Twin\n"
        "from .loop import here\n"
        "LIMIT: int = 3\n"
        "class Base:\n"
        "    parts = (1,)\n"
        "class Hook(Base):\n"
        "    def run(self, value: Twin) -> Twin:\n"
        "        if value > LIMIT:\n"
        "            return n.half(value)\n"
        "        return texts.join(SEPARATOR, given(value), here)\n"
    ),
    "app/words.py": "SEPARATOR = ','\nOTHER = 1\n",
    "app/texts.py": "def join(*parts):\n    return _glue(parts)\n\n\n"
    "def _glue(parts):\n    return ''\n",
    "app/numbers.py": "try:\n    import fast\nexcept ImportError:\n    fast = None\ndef half(x):\n"
    "    return x / 2\n",
    "app/loop.py": "from app.loop2 import here\n",
    "app/loop2.py": "from app.loop import here\n",
    "gen/types.py": "class Twin:\n    a = 1\n",
    "gen/__init__.py": "",
}


def digest(root: Path, edits: dict[str, tuple[str, str]] | None = None) -> str:
    for name, text in FILES.items():
        old, new = (edits or {}).get(name, ("", ""))
        assert old in text
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return SourceCode(texts_below(root), "gen").digest([("app.hook", "Hook")])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("app/hook.py", "value > LIMIT", "value >= LIMIT"),
        ("app/hook.py", "LIMIT: int = 3", "LIMIT: int = 4"),
        ("app/hook.py", "parts = (1,)", "parts = (2,)"),
        ("app/words.py", "','", "';'"),
        ("app/texts.py", "return ''", "return ' '"),
        ("app/numbers.py", "x / 2", "x // 2"),
        ("app/hook.py", "from outside import given", "from elsewhere import given"),
    ],
)
def test_what_changes_a_digest(name: str, old: str, new: str, tmp_path: Path) -> None:
    """All that a class names counts, through imports of modules, names and packages."""
    assert digest(tmp_path / "a") != digest(tmp_path / "b", {name: (old, new)})


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("app/words.py", "OTHER = 1", "OTHER = 2"),
        ("gen/types.py", "a = 1", "a = 2"),
        ("app/hook.py", "-> Twin:", "-> object:"),
        ("app/hook.py", "class Base:\n", "class Base:\n    '''A text.'''\n"),
        ("app/hook.py", "parts = (1,)", "parts = (\n        1,  # one\n    )"),
    ],
)
def test_what_does_not(name: str, old: str, new: str, tmp_path: Path) -> None:
    """Texts, types, forms, generated code and what is not named do not count."""
    assert digest(tmp_path / "a") == digest(tmp_path / "b", {name: (old, new)})


def test_code_that_is_not_there(tmp_path: Path) -> None:
    """Nothing is known of what the project does not have, or of what is no Python."""
    (tmp_path / "broken.py").write_text("def")
    code = SourceCode(texts_below(tmp_path), "gen")
    assert not any(map(code.knows, ("json", "broken", "nothing.at.all")))

"""What a version says of itself."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec

import pytest

from holdall import version


@pytest.mark.parametrize(
    ("ending", "said"), [(".py", ""), (".pyc", ""), (EXTENSION_SUFFIXES[0], " (compiled)")]
)
def test_machine_code_is_told_from_bytecode(
    ending: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sources may be left out without anything being faster."""
    spec = ModuleSpec("members", None, origin=f"/lib/holdall/engine/members{ending}")
    monkeypatch.setattr(version, "find_spec", lambda _: spec)
    assert version.described() == f"{version.VERSION}{said}"

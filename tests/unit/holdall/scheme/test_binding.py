"""Hooks are bound once, from the project that the generated package belongs to."""

from __future__ import annotations

import importlib
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from holdall.engine.hook_points import bind
from holdall.errors import ConversionError, HookError
from holdall.scheme.scheme import Scheme
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of, written_hook

HOOK = written_hook(
    "destination.shade = 7", 'destination.color = "blue"', reads="color", writes="shade"
)

THING = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"size": 1, "color": "blue"}}


def project(root: Path, hook: str) -> Scheme:
    files = {**THING_FILES, "hooks/thing.py": hook}
    return scheme_of(build_project(root, THING_CONFIG, files))


def test_a_hook_is_found_by_itself(tmp_path: Path) -> None:
    """Nothing registers a hook: the first conversion binds it, and its claims leave the bag."""
    scheme = project(tmp_path, HOOK)
    assert scheme.convert(THING, to="v2") == {
        "apiVersion": "example.com/v2",
        "kind": "Thing",
        "spec": {"size": 1, "shade": 7},
    }


@pytest.mark.parametrize(
    ("broken", "reason", "line"),
    [
        (HOOK + "\nraise ValueError('at import')\n", "ValueError: at import", 19),
        (
            HOOK.replace(
                '    @claims(reads=["color"]',
                '    limit = 1 / 0\n\n    @claims(reads=["color"]',
            ),
            "ZeroDivisionError: division by zero",
            7,
        ),
        (HOOK + "\nraise SystemExit(0)\n", "SystemExit: 0", 19),
        (HOOK + "\n    def __init__(self): raise OSError\n", "OSError", 6),
    ],
)
def test_a_hook_that_cannot_be_loaded_is_an_error(
    tmp_path: Path, broken: str, reason: str, line: int
) -> None:
    """HA305: an import that fails is reported with the line that failed; nothing is bound."""
    scheme = project(tmp_path, broken)
    with pytest.raises(HookError) as caught:
        scheme.convert(THING, to="v2")
    (problem,) = caught.value.problems
    assert problem.code == "HA305"
    assert reason in problem.message
    assert problem.where.endswith(f"thing.py:{line}")


def test_hooks_of_another_project_are_never_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HA306: a hooks module that an other folder brought in under the same name is refused."""
    scheme = project(tmp_path, HOOK)
    stranger = ModuleType(f"{scheme.hooks}.thing")
    stranger.__file__ = str(tmp_path / "elsewhere/thing.py")
    package = ModuleType(scheme.hooks)
    package.__path__ = [str(tmp_path / "elsewhere")]
    monkeypatch.setitem(sys.modules, scheme.hooks, package)
    monkeypatch.setitem(sys.modules, f"{scheme.hooks}.thing", stranger)
    with pytest.raises(HookError) as caught:
        scheme.load()
    assert [problem.code for problem in caught.value.problems] == ["HA306"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("destination.size = 3", "changed 'size' without a claim"),
        ("source.color = 'red'", "changed its source"),
    ],
)
def test_strict_hooks_fail_for_what_they_do_not_claim(
    tmp_path: Path, line: str, message: str
) -> None:
    """In tests a hook may only write what it claims, and never its source."""
    scheme = project(tmp_path, HOOK.replace("destination.shade = 7", line))
    scheme.load(strict_hooks=True)
    with pytest.raises(ConversionError, match=message) as caught:
        scheme.convert(THING, to="v2")
    assert caught.value.path == "/spec"
    assert caught.value.edge == ("v1", "v2")


def test_an_exception_in_a_hook_is_located(tmp_path: Path) -> None:
    """Whatever a hook raises becomes one error with object, edge, path and cause."""
    scheme = project(tmp_path, HOOK.replace("destination.shade = 7", "raise KeyError('x')"))
    named = {**THING, "metadata": {"namespace": "shop", "name": "cart"}}
    with pytest.raises(ConversionError) as caught:
        scheme.convert(named, to="v2")
    text = "Thing shop/cart: v1 -> v2 /spec: Hooks raised KeyError: 'x' (hooks_"
    assert str(caught.value).startswith(text)
    assert str(caught.value).endswith("/thing.py:11 in Hooks.assign_properties_to)")
    assert isinstance(caught.value.__cause__.__cause__, KeyError)  # type: ignore[union-attr]


def test_no_thread_converts_a_twin_before_its_hook_is_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that comes while another one loads waits until everything is loaded."""
    scheme = project(tmp_path, HOOK)
    older, newer = (
        importlib.import_module(f"{scheme.package}.{name}.storage").ThingSpec
        for name in ("v1", "v2")
    )
    waits_or_is_done = threading.Event()
    shades: list[int | None] = []

    def assign() -> None:
        there = newer()
        try:
            older(color="red", size=1).assign_properties_to(there)
            shades.append(there.shade)
        finally:
            waits_or_is_done.set()

    class Lock:
        """The lock of the scheme, which says that the other thread waits for it."""

        inner = scheme._lock

        def __enter__(self) -> None:
            if threading.current_thread() is other:
                waits_or_is_done.set()
            self.inner.acquire()

        def __exit__(self, *_: object) -> None:
            self.inner.release()

    def bind_later(*arguments: Any, **options: Any) -> None:
        other.start()
        waits_or_is_done.wait()
        bind(*arguments, **options)
        monkeypatch.setattr("holdall.scheme.binding.bind", bind)

    other = threading.Thread(target=assign)
    monkeypatch.setattr("holdall.scheme.binding.bind", bind_later)
    monkeypatch.setattr(scheme, "_lock", Lock())
    scheme.load()
    other.join()
    assert shades == [7]

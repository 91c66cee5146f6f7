"""`make demo` shows what it says it shows."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import python


def test_the_demo_meets_its_own_expectations(project_root: Path) -> None:
    """The tour exits with 0, finds all planted mistakes, and leaves the project as it was."""
    generated = sorted((project_root / "generated").rglob("*.py"))
    before = [path.read_bytes() for path in generated]
    done = python("tests/demo/demo.py", cwd=project_root)
    assert done.returncode == 0, done.stdout + done.stderr
    for shown in ("All as expected.", "HA310", "HA342", "identical", "edited to silver"):
        assert shown in done.stdout
    assert "different" not in done.stdout.partition("4. Look")[0]
    assert [path.read_bytes() for path in generated] == before

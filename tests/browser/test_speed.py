"""A thousand properties: every interaction, measured from the event to the next painted frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

LIMIT = 100
TIMES = 9
ROW = "document.querySelectorAll('#lanes .body [role=row]:not([hidden])')"

# Each is what a person does, and what undoes it.
INTERACTIONS = {
    "search": (
        "type(document.getElementById('search'), 'property01')",
        "type(document.getElementById('search'), '')",
    ),
    "filter by fate": (
        "document.querySelector('.chip[data-filter=bag]').click()",
        "document.querySelector('.chip[data-filter=bag]').click()",
    ),
    "changes only": ("press('c')", "press('c')"),
    "details": (f"{ROW}[10].click()", "press('Escape')"),
    "fold": (f"{ROW}[1].querySelector('.twist').click()",) * 2,
    "next row": ("press('ArrowDown')", "press('ArrowUp')"),
    "scroll": (
        "document.getElementById('scroller').scrollTop = 20000",
        "document.getElementById('scroller').scrollTop = 0",
    ),
    "objects": ("press('2')", ""),
    "properties": ("press('1')", "press('2')"),
}
HELPERS = """() => {
  window.type = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event('input', {bubbles: true}));
  };
  window.press = (key) => (document.activeElement ?? document.body)
    .dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  window.timed = (act) => new Promise((done, fail) => requestAnimationFrame(() => {
    const start = performance.now();
    try { act(); } catch (error) { fail(error); }
    // The message comes behind the frame: it was laid out and painted by then.
    const painted = new MessageChannel();
    painted.port1.onmessage = () => done(performance.now() - start);
    requestAnimationFrame(() => painted.port2.postMessage(0));
  }));
}"""


def test_a_thousand_properties(
    show: Callable[..., Any], wide_page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each interaction takes at most 100 ms, in the median of nine."""
    tab = show(wide_page)
    assert "1,052 properties" in tab.locator("#shown").inner_text()
    tab.evaluate(HELPERS)
    tab.locator("#lanes .body [tabindex='0']").focus()
    found = {}
    for name, (act, undo) in INTERACTIONS.items():
        times = []
        for _ in range(TIMES):
            times.append(tab.evaluate(f"timed(() => {{ {act} }})"))
            tab.evaluate(f"timed(() => {{ {undo} }})")
        found[name] = median(times)
    load = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    with capsys.disabled():
        print(f"\n1,000 properties: {load:.0f} ms to load")
        for name, time in found.items():
            print(f"  {name:<16}{time:6.1f} ms")
    assert {name: time for name, time in found.items() if time > LIMIT} == {}

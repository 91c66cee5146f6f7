"""A thousand properties: what each interaction makes the browser do, whatever time that takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

CHANGES = 400
"""Changes of the tree: there are some 60 rows to see, each with a few attributes and parts."""
LAYOUTS = 5
ROW = "document.querySelectorAll('#lanes .body [role=row]:not([hidden])')"

# Each is what a person does.
INTERACTIONS = {
    "search": "type(document.getElementById('search'), 'property01')",
    "all again": "type(document.getElementById('search'), '')",
    "filter by fate": "document.querySelector('.chip[data-filter=bag]').click()",
    "all fates again": "document.querySelector('.chip[data-filter=bag]').click()",
    "changes only": "press('c')",
    "unchanged as well": "press('c')",
    "details": f"{ROW}[10].click()",
    "no details": "press('Escape')",
    "fold": f"{ROW}[1].querySelector('.twist').click()",
    "unfold": f"{ROW}[1].querySelector('.twist').click()",
    "next row": "press('ArrowDown')",
    "scroll": "document.getElementById('scroller').scrollTop = 20000",
    "scroll back": "document.getElementById('scroller').scrollTop = 0",
    "objects": "press('2')",
    "properties": "press('1')",
}
HELPERS = """() => {
  window.type = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event('input', {bubbles: true}));
  };
  window.press = (key) => (document.activeElement ?? document.body)
    .dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  const observer = new MutationObserver(() => {});
  observer.observe(document, {attributes: true, childList: true, subtree: true});
  // How often it changes the tree until the frame is painted; the message comes behind that.
  window.changes = (act) => new Promise((done, fail) => requestAnimationFrame(() => {
    observer.takeRecords();
    try { act(); } catch (error) { fail(error); }
    let count = observer.takeRecords().length;
    const painted = new MessageChannel();
    painted.port1.onmessage = () => done(count + observer.takeRecords().length);
    requestAnimationFrame(() => painted.port2.postMessage(0));
  }));
}"""


def test_a_thousand_properties(show: Callable[..., Any], wide_page: Path) -> None:
    """An interaction changes what can be seen, not each row, and lays the page out a few times."""
    tab = show(wide_page)
    assert "1,052 properties" in tab.locator("#shown").inner_text()
    tab.evaluate(HELPERS)
    tab.locator("#lanes .body [tabindex='0']").focus()
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable")

    def layouts() -> int:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(int(it["value"]) for it in metrics if it["name"] == "LayoutCount")

    found = {}
    for name, act in INTERACTIONS.items():
        before = layouts()
        changes = tab.evaluate(f"changes(() => {{ {act} }})")
        found[name] = changes, layouts() - before
    assert {
        name: counts for name, counts in found.items() if counts[0] > CHANGES or counts[1] > LAYOUTS
    } == {}

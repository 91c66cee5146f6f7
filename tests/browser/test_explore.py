"""What a person does with the page: looks, searches, filters, clicks, types, pastes, prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import LANES
from tests.support.exploring import HOSTILE

Show = Callable[..., Any]
POOL = "kind=batch.example.com/Pool"
OLD = {
    "apiVersion": "batch.example.com/v20210101",
    "kind": "BatchAccount",
    "metadata": {"name": "x"},
    "spec": {"poolQuota": 3, "tier": "gold", "strange": 1},
}


def names(tab: Any) -> list[str]:
    """Return the names of the lanes that are shown as found."""
    return tab.eval_on_selector_all(  # type: ignore[no-any-return]
        f"{LANES}:not(.context) [role=rowheader] .name", "all => all.map(one => one.title)"
    )


def test_every_property_is_a_lane(show: Show, sample_page: Path) -> None:
    """Versions are columns with their marks; a cell says for all readers where a property is."""
    tab = show(sample_page)
    heads = tab.locator(".heads [role=columnheader] strong").all_inner_texts()
    assert heads == ["v20210101", "v20220601", "v20230501", "v20240701"]
    assert "stored" in tab.locator(".heads").inner_text()
    row = tab.locator(LANES, has_text="poolQuota")
    assert row.locator("[role=rowheader] .name").inner_text() == "poolLimit"
    cells = row.locator("[role=gridcell]").all_text_contents()
    assert "spec/poolQuota, integer" in cells[0]
    assert cells[1] == "renamed"
    assert "in the bag" in tab.locator(LANES, has_text="retention").first.inner_text()


def test_search_finds_in_all_kinds(show: Show, sample_page: Path) -> None:
    """A search narrows the lanes, counts in other kinds, and can be undone by key."""
    tab = show(sample_page)
    tab.keyboard.press("/")
    tab.keyboard.type("vault")
    assert names(tab) == ["spec/encryption/vaultName"]
    assert "1 of 43" in tab.locator("#shown").inner_text()
    assert tab.locator("#kinds button[data-kind$='/Pool'] .count").inner_text().startswith("0")
    tab.keyboard.press("Escape")
    assert len(names(tab)) == 43
    tab.fill("#search", "no such thing")
    tab.get_by_role("button", name="Show all").click()
    assert len(names(tab)) == 43


def test_filters_by_fate(show: Show, sample_page: Path) -> None:
    """Each fate is a filter, several are added, and the address keeps them."""
    tab = show(sample_page, POOL)
    tab.locator(".chip[data-filter=hook]").click()
    assert set(names(tab)) == {"spec/forceUpgrade", "spec/mounts/*/options", "spec/placement"} | (
        set(names(tab)) & {"spec/zones", "spec/controlPlaneOverrides"}
    )
    hooked = len(names(tab))
    tab.locator(".chip[data-filter=converted]").click()
    assert len(names(tab)) > hooked
    assert tab.locator(".chip[data-filter=hook]").get_attribute("aria-pressed") == "true"
    tab.reload()
    tab.wait_for_selector("html[data-ready=true]")
    assert len(names(tab)) > hooked
    tab.locator(".chip[data-filter=changes]").click()
    assert "metadata" not in names(tab)


def test_a_click_says_why(show: Show, sample_page: Path) -> None:
    """The details have the reason, the schema's lines, the line of holdall.yaml, the hook."""
    tab = show(sample_page)
    tab.locator(LANES, has_text="poolQuota").click()
    text = tab.locator("#details").inner_text()
    assert "declared rename" in text
    assert "poolQuota: {rename: poolLimit}" in text
    assert re.search(r"holdall\.yaml:\d+", text)
    assert re.search(r"schemas/batch/batchaccounts\.yaml:\d+", text)
    tab.locator("#kinds button[data-kind$='/Pool']").click()
    tab.locator(LANES, has=tab.get_by_title("spec/mounts/*/options")).click()
    tab.get_by_text("hooks/batch/mounts.py:11", exact=True).click()
    assert "class CommaSeparated(TwoWay):" in tab.locator("#details").inner_text()
    tab.go_back()
    assert tab.locator("#details").is_hidden()


def test_everything_has_a_key(show: Show, sample_page: Path) -> None:
    """Rows, folds, details, kinds, tabs and help without a mouse; the focus is never lost."""
    tab = show(sample_page)
    tab.locator("#lanes .body [tabindex='0']").focus()
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.innerText").startswith("▼")
    count = len(names(tab))
    tab.keyboard.press("ArrowLeft")
    assert len(names(tab)) < count
    tab.keyboard.press("ArrowRight")
    assert len(names(tab)) == count
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    assert tab.locator("#details-title").inner_text() == "BatchAccount/spec/contacts"
    assert tab.locator(f"{LANES}[aria-selected=true]").count() == 1
    tab.keyboard.press("Escape")
    assert tab.locator("#details").is_hidden()
    assert tab.evaluate("document.activeElement.getAttribute('role')") == "row"
    tab.keyboard.press("]")
    assert tab.locator("#kinds [aria-current]").inner_text().startswith("Pool")
    for key, name in (("2", "Objects"), ("3", "Laws"), ("4", "Differences"), ("1", "Properties")):
        tab.keyboard.press(key)
        assert tab.locator("[role=tab][aria-selected=true]").inner_text() == name
    tab.keyboard.press("?")
    assert tab.locator("dialog[open] h2").inner_text() == "Keys"
    tab.keyboard.press("Escape")
    assert tab.locator("dialog[open]").count() == 0


def test_an_object_at_every_version(show: Show, sample_page: Path) -> None:
    """What clients see, the bag beside it, an edit that is marked at all versions, one field."""
    tab = show(sample_page, "tab=objects")
    assert tab.locator(".view h3").all_inner_texts() == [
        "v20210101", "v20220601", "v20230501", "v20240701"
    ]  # fmt: skip
    second = tab.locator(".view[data-version=v20220601]")
    assert 'v20210101 /spec/tier: "gold"' in second.locator(".held").inner_text()
    assert "bag" not in second.locator(".tree").inner_text()
    assert "same object" in second.locator(".verdict").inner_text()
    tab.select_option("#edit", "3")
    assert tab.locator(".tree li.edited").count() == 4
    assert tab.locator(".tree li.edited ins").first.inner_text() == '"studio-keys-edited"'
    tab.locator(".view.source .tree li", has_text="poolQuota").click()
    linked = tab.locator(".tree li.linked .key").all_inner_texts()
    assert linked == ["poolQuota: ", "poolLimit: ", "poolLimit: ", "poolLimit: "]
    tab.check("#raw")
    assert "holdall" in second.locator(".tree").inner_text()
    assert "renamed to /spec/poolLimit" in tab.locator("#fields").inner_text()


def test_paste_without_a_server(show: Show, sample_page: Path) -> None:
    """A known object is shown with its results, any other by the plan, and faults are explained."""
    tab = show(sample_page, "tab=objects")
    tab.click("#paste")
    tab.fill("#given", json.dumps(OLD))
    tab.click("#show")
    rows = [
        row.locator("th, td").all_inner_texts() for row in tab.locator("#planned tbody tr").all()
    ]
    assert ["/spec/poolQuota", *["spec/poolLimit"] * 3] in rows
    assert ["/spec/tier", "in the bag", "spec/tier", "spec/tier"] in rows
    assert ["/spec/strange", *["unknown to the schema; kept"] * 3] in rows
    tab.keyboard.press("Escape")
    known = tab.evaluate("JSON.parse(document.getElementById('model').textContent).objects[2]")
    tab.click("#paste")
    tab.fill("#given", json.dumps(known["views"][known["version"]]["document"]))
    tab.click("#show")
    assert tab.locator("dialog[open]").count() == 0
    for text, fault in (
        ("{", "JSON"), ("[]", "Paste an object with apiVersion"), ("", "There is nothing to show"),
        (json.dumps({**OLD, "kind": "Bank"}), 'no kind "Bank"'),
        (json.dumps({**OLD, "apiVersion": "batch.example.com/v1"}), 'no version "v1"'),
    ):  # fmt: skip
        tab.click("#paste")
        tab.fill("#given", text)
        tab.click("#show")
        assert fault in tab.locator("dialog .fault").inner_text()
        tab.keyboard.press("Escape")


def test_paste_by_key(show: Show, sample_page: Path) -> None:
    """What is pasted into the page of objects stands in the dialog."""
    tab = show(sample_page, "tab=objects")
    tab.evaluate(
        "text => { const clipboardData = new DataTransfer(); clipboardData.setData('text', text);"
        " const event = new ClipboardEvent('paste', {clipboardData, bubbles: true});"
        " document.body.dispatchEvent(event) }",
        json.dumps(OLD),
    )
    assert tab.input_value("#given") == json.dumps(OLD)


def test_laws_and_differences(show: Show, sample_page: Path) -> None:
    """All checks hold, and a difference leads to its lane."""
    tab = show(sample_page, "tab=laws")
    assert "all 600 checks hold" in tab.locator("main .bar").inner_text()
    assert tab.locator("#laws td.bad").count() == 0
    tab.keyboard.press("4")
    assert (
        "v20240701.BatchAccountSpec owners added: list of string"
        in tab.locator("main").inner_text()
    )
    tab.get_by_role("button", name="Show spec/owners of BatchAccount").click()
    assert tab.locator("#details-title").inner_text() == "BatchAccount/spec/owners"
    assert "Since v0.1" in tab.locator("#details").inner_text()
    tab.locator(".chip[data-filter=differs]").click()
    assert names(tab) == ["spec/owners"]


def test_hostile_names_are_shown(show: Show, hostile_page: Path) -> None:
    """Markup in names, descriptions and values is text, and nothing of it runs."""
    tab = show(hostile_page)
    assert HOSTILE[0] in tab.locator("#lanes").inner_text()
    for index in range(tab.locator(LANES).count()):
        tab.locator(LANES).nth(index).click()
    for name in ("objects", "laws", "changes"):
        tab.click(f"#tab-{name}")
    tab.click("#tab-objects")
    tab.check("#metadata")
    text = tab.locator(".tree").first.inner_text()
    for name in ("</script><script>window.hit = 1</script>", "__proto__", "constructor"):
        assert name in text
    assert tab.evaluate("window.hit") is None
    assert tab.locator("main img, main script").count() == 0


def test_nothing_else_may_run(show: Show, sample_page: Path) -> None:
    """The policy holds: a script that came in anyhow would not run, markup cannot be assigned."""
    tab = show(sample_page)
    refused = "() => {{ try {{ {} ; return false }} catch {{ return true }} }}"
    assert tab.evaluate(refused.format("document.body.innerHTML = '<b>'"))
    assert tab.evaluate(refused.format("document.body.setAttribute('onclick', 'window.hit = 9')"))
    tab.evaluate("() => { const one = new Image(); one.src = 'http://127.0.0.1:9/x'; }")
    tab.wait_for_timeout(200)
    assert tab.evaluate("window.hit") is None
    assert any("violates the following" in text for text in tab.problems)
    tab.problems.clear()  # the browser says that it refused


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "where",
    [
        "",
        f"{POOL}&lane=spec/mounts/*/options",
        "q=pool&fates=bag",
        "tab=objects&edit=3",
        "tab=laws",
        "tab=changes",
    ],
)
def test_readable_by_all(
    show: Show, sample_page: Path, pictures: Path, scheme: str, where: str
) -> None:
    """axe finds no violation in any view, light or dark; each view leaves a picture."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python"
    )
    tab = show(sample_page)
    tab.emulate_media(color_scheme=scheme)
    show(sample_page, where)
    assert tab.evaluate("document.documentElement.dataset.theme") == scheme
    name = re.sub(r"\W+", "-", where or "properties").strip("-")
    tab.screenshot(path=pictures / f"{name}-{scheme}.png")
    # axe brings its script into the page: that is what the policy refuses to a page's content.
    session = tab.context.new_cdp_session(tab)
    session.send("Page.setBypassCSP", {"enabled": True})
    tab.reload()
    tab.wait_for_selector("html[data-ready=true]")
    found = axe.Axe().run(tab)
    violations = [
        (item["id"], node["html"][:160], node.get("failureSummary", "")[:300])
        for item in found.response["violations"]
        for node in item["nodes"][:3]
    ]
    assert violations == []


def test_the_theme_can_be_chosen(show: Show, sample_page: Path) -> None:
    """System, light, dark, and the choice is remembered."""
    tab = show(sample_page)
    tab.click("#theme")
    tab.click("#theme")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.reload()
    tab.wait_for_selector("html[data-ready=true]")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.click("#theme")


def test_print(show: Show, sample_page: Path, pictures: Path) -> None:
    """All lanes are on paper, without what only a screen needs."""
    tab = show(sample_page)
    tab.emulate_media(media="print")
    assert tab.locator("nav").is_hidden() and tab.locator("#tabs").is_hidden()
    assert tab.locator(LANES).last.is_visible()
    data = tab.pdf(path=pictures / "properties.pdf", prefer_css_page_size=True)
    assert data.startswith(b"%PDF")
    tab.emulate_media(media="screen")

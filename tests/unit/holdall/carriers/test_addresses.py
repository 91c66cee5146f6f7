"""Selectors of elements, those that a forged envelope makes up included."""

from __future__ import annotations

import pytest

from holdall.carriers.addresses import Elements
from holdall.carriers.matching import match_indexes
from holdall.objects.shapes import ValueShape
from tests.support.work import steps_of
from tests.unit.twins import twin

ITEM = ValueShape("object", twin("v1", "Pet", {"name": str, "age": int}))


def elements(count: int) -> Elements:
    return Elements([{"name": f"n{at}", "age": at} for at in range(count)], (), ITEM)


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ('[name="n2"]', 2),
        ('[age=1,name="n1"]', 1),
        ('[gone="x",name="n1"]', 1),
        ('[name="n1",name="n1"]', 1),
        ('[name="n1"', None),
        ("[]", None),
        ("[name]", None),
        ('[name="n1"x]', None),
        ('[junk,name="n1"]', None),
    ],
)
def test_an_element_is_found_by_the_keys_that_a_selector_has(
    selector: str, found: int | None
) -> None:
    assert elements(3).find(selector) == found


def test_a_key_may_hold_what_separates_others() -> None:
    odd = Elements([{"name": 'a",b=\n"'}, {"name": "b"}], (), ITEM)
    for name, index in odd.unique_names().items():
        assert odd.find(f"[{name}]") == index


@pytest.mark.parametrize("part", ["a", "a=b", 'a="', 'a="\\a', "=", ",", '"'])
def test_a_long_selector_is_read_once(part: str) -> None:
    """What takes the square of its length would take hours."""
    assert elements(1).find(f'[{part * 400_000}"]') is None


def test_forged_selectors_do_not_make_a_long_list_cost_more_each() -> None:
    kinds = (
        lambda at: f"[k{at}=1]",
        lambda at: "[" + ",".join(["name=1"] * (at % 50)) + f",age={at}]",
        lambda at: f'[0:name="{at}"]',
    )
    for kind in kinds:

        def steps(count: int, kind: object = kind) -> int:
            segments = [kind(at) for at in range(count)]  # type: ignore[operator]
            return steps_of(lambda: match_indexes(elements(count), segments))

        assert steps(2000) < 10.5 * steps(200)
    assert steps_of(lambda: elements(500).find(f"[{'name=1,' * 500}]")) < 3 * steps_of(
        lambda: elements(500).find("[name=1]")
    )

"""What is not compared would score nothing, and all of what is may be as alike as it says."""

from __future__ import annotations

import random
from itertools import product

import pytest

from holdall.plan.plans import TypeRef
from holdall_codegen.model import Property, Scalar
from holdall_codegen.propose.ends import End
from holdall_codegen.propose.related import Related
from holdall_codegen.propose.shapes import texts_of
from holdall_codegen.propose.words import Names
from tests.support.work import steps_of

WORDS = """
    pod pods policy policies replica replicas name config min max available unavailable not size
    timeout timeouts seconds authentication authentications authorization template templates
    tempalte kubernetes kubernetse v1 is go host hostname url urls
    """.split()  # noqa: SIM905 - a list of words, and nothing else


def values(end: End) -> frozenset[str]:
    return frozenset(texts_of(end.member.type))


def end(path: tuple[str, ...], *enum: str) -> End:
    member = Property(path[-1], Scalar("string", enum=enum))
    return End(path, member, (TypeRef("v1", "Box"),) * len(path))


def drawn(draw: random.Random) -> End:
    def name() -> str:
        some = draw.choices(WORDS, k=draw.randint(1, 3))
        return some[0] + "".join(word.capitalize() for word in some[1:])

    enum = draw.choice(((), (), (), ("a", "b"), ("b", "c")))
    return end(tuple(name() for _ in range(draw.randint(1, 3))), *enum)


@pytest.mark.parametrize("seed", range(5))
def test_no_pair_is_more_alike_than_it_may_be(seed: int) -> None:
    """All pairs are compared to see it."""
    draw, names = random.Random(seed), Names(["v1", "v2"])
    older, newer = ([*{one.path: one for one in map(drawn, [draw] * 60)}.values()] for _ in "12")
    related = Related(newer, names, values)
    most = {(one.path, other.path): bound for one in older for other, bound in related.to(one)}
    for one, other in product(older, newer):
        likeness = names.likeness(one.path, other.path)
        if (one.path, other.path) in most:
            assert likeness <= most[one.path, other.path] + 1e-9, (one.path, other.path)
        else:
            assert likeness == 0, (one.path, other.path)
            assert not values(one) or values(one) != values(other)


def test_properties_with_nothing_in_common_are_not_compared() -> None:
    """Twice as many cost about twice as much, not four times."""

    def unlike(count: int) -> int:
        draw = random.Random(count)  # words of its own: they are read once
        sides = [
            [end(("".join(draw.choices(letters, k=9)),)) for _ in range(count)]
            for letters in ("abcdefghijklm", "nopqrstuvwxyz")
        ]
        related = Related(sides[1], Names(["v1", "v2"]), values)
        return steps_of(lambda: [[*related.to(one)] for one in sides[0]])

    assert unlike(800) < 2.5 * unlike(400)

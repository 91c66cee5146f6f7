"""Which candidates are chosen: the clearly best ones, objects before their members."""

from __future__ import annotations

from holdall.plan.plans import TypeRef
from holdall_codegen.model import Opaque, Property
from holdall_codegen.propose.candidates import Candidate
from holdall_codegen.propose.choosing import choose
from holdall_codegen.propose.ends import End
from tests.support.work import steps_of


def end(path: str) -> End:
    names = tuple(path.split("/"))
    return End(names, Property(names[-1], Opaque()), (TypeRef("v1", "Box"),) * len(names))


def candidate(older: str, newer: str, score: float) -> Candidate:
    return Candidate(end(older), end(newer), score)


def chosen(*pairs: tuple[str, str, float]) -> list[str]:
    found = sorted((candidate(*pair) for pair in pairs), key=lambda one: -one.score)
    return [f"{'/'.join(one.older.path)} {'/'.join(one.newer.path)}" for one in choose(found)]


def test_the_best_of_each_end() -> None:
    """What a better candidate took cannot be taken again, and is no rival."""
    assert chosen(("a", "x", 0.9), ("a", "y", 0.8), ("b", "y", 0.77)) == ["a x", "b y"]


def test_rivals_leave_a_choice_open() -> None:
    """Neither of two that are about as good, whichever end they share."""
    assert chosen(("a", "x", 0.9), ("a", "y", 0.87), ("b", "z", 0.6)) == ["b z"]
    assert chosen(("a", "x", 0.9), ("b", "x", 0.87)) == []


def test_members_follow_their_objects() -> None:
    """They wait for an undecided object, too; members of others are chosen at once."""
    pairs = ("a", "x", 0.7), ("a/b", "x/y", 0.9), ("c/d", "z/d", 0.6)
    assert chosen(*pairs) == ["a x", "c/d z/d"]
    assert chosen(*pairs, ("a", "w", 0.69)) == ["c/d z/d"]


def test_an_object_with_members_from_elsewhere_does_not_move() -> None:
    """Its members do, unless they come as probably from the object."""
    contest = ("a/b", "x/y", 0.8), ("c", "x/y/z", 0.7)
    assert chosen(*contest) == ["c x/y/z"]
    assert chosen(*contest, ("a/b/z", "x/y/z", 0.75)) == ["a/b x/y", "c x/y/z"]


def test_a_move_that_is_not_made_leaves_no_choice_open() -> None:
    """The other candidates of its ends are chosen as if it were not there."""
    contest = ("a/b", "x/y", 0.8), ("c", "x/y/z", 0.7)
    assert chosen(*contest, ("a/b", "w", 0.79)) == ["c x/y/z"]
    assert chosen(*contest, ("a/b", "w", 0.7)) == ["c x/y/z", "a/b w"]


def test_the_work_grows_with_the_candidates() -> None:
    """Twice as many are about twice the work, not four times."""

    def work(count: int) -> int:
        found = [
            candidate(f"old{at % 40}/o{at}", f"new{at % 50}/n{at}", 0.9) for at in range(count)
        ]
        return steps_of(lambda: choose(found))

    assert work(800) < 2.5 * work(400)

"""Running what is bound to an edge: hooks on views, two-way hooks on members."""

from __future__ import annotations

from typing import Any

from holdall.engine.edges import Crossing
from holdall.engine.two_way_steps import TwoWayStep
from holdall.errors import DecodeError, HoldallError, HookFailure
from holdall.objects.bag import BAG_MEMBER, MARKS, PropertyBag
from holdall.objects.tolerance import is_tolerated
from holdall.objects.views import DESTINATION, SOURCE

Members = dict[str, Any]


def run_hook(crossing: Crossing, old: Members, new: Members) -> None:
    """Let the hook complete a converted object; it runs once."""
    if crossing.ways:
        for step in crossing.ways:
            _run_step(crossing, step, old, new)  # type: ignore[arg-type]
        if BAG_MEMBER in new and not new[BAG_MEMBER]:
            del new[BAG_MEMBER]
        return
    source: Any = crossing.source_type
    destination: Any = crossing.destination_type
    view = destination.view_(new, DESTINATION)
    if crossing.bound is not None:
        try:
            crossing.bound(source.view_(old, SOURCE), view)
        except HookFailure as error:
            error.source = _at(crossing, old)  # a view that a hook wrote to has other members
            raise
    if view.is_touched_():
        view.settle_()


def _run_step(crossing: Crossing, step: TwoWayStep, old: Members, new: Members) -> None:
    """Write the members of one object into another, with what was kept, and keep the rest."""
    is_plain = BAG_MEMBER not in new or _is_nothing_kept(crossing, step, new[BAG_MEMBER])
    try:
        made, residue = step.on_members(old) if is_plain else _crossed(crossing, step, old, new)
    except HoldallError as error:
        name = crossing.hook_class
        raise HookFailure(f"{name}: {error}", _at(crossing, old), name) from error
    except (Exception, SystemExit) as error:
        name = crossing.hook_class
        text = f"{name} raised {type(error).__name__}: {error}"
        raise HookFailure(text, _at(crossing, old), name) from error
    if not step.writes.isdisjoint(new):
        for name in step.writes.intersection(new):
            del new[name]
    new.update(made)
    if residue:
        new.setdefault(BAG_MEMBER, PropertyBag()).setdefault(crossing.source, {})[step.key] = (
            residue
        )
    if not is_plain:
        bag = _bag_of(new)
        if crossing.source in bag:
            bag.drop_all(crossing.source, step.reads)
        if crossing.destination in bag:
            written = step.writes & crossing.destination_members
            bag.drop_all(crossing.destination, written | {step.key})


def _is_nothing_kept(crossing: Crossing, step: TwoWayStep, bag: Any) -> bool:
    """Tell whether a bag has nothing, of either version, that is the business of a step."""
    for origin in (crossing.source, crossing.destination):
        entries = bag.get(origin)
        if entries and not (step.covers.isdisjoint(entries) and MARKS.isdisjoint(entries)):
            return False
    return True


def _bag_of(new: Members) -> PropertyBag:
    """Return the bag of members that have one, as what knows of entries and marks."""
    bag = new[BAG_MEMBER]
    if type(bag) is not PropertyBag:
        bag = new[BAG_MEMBER] = PropertyBag(bag)
    return bag


def _crossed(
    crossing: Crossing, step: TwoWayStep, old: Members, new: Members
) -> tuple[Members, Any]:
    bag = _bag_of(new)
    if crossing.source in bag:
        # What an earlier way back kept and did not use is not a hint for this one.
        bag.drop_all(crossing.source, frozenset((step.key,)))
    if crossing.destination not in bag or step.key not in bag[crossing.destination]:
        return step.on_members(old)
    try:
        made = step.on_members(old, bag[crossing.destination][step.key], is_kept=True)
    except Exception as error:
        why = str(error) if isinstance(error, DecodeError) else type(error).__name__
        if not is_tolerated(_at(crossing, old), crossing.destination, step.key, why):
            raise
        bag.set_aside(crossing.source, crossing.destination, step.key)
        return step.on_members(old)
    bag.drop(crossing.destination, step.key)
    return made


def _at(crossing: Crossing, old: Members) -> Any:
    """Return the object of an error, from which its path is found."""
    cls: Any = crossing.source_type
    return cls.view_(old, SOURCE)

"""The envelope: the bags of one compartment, with the facts needed to put them back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from holdall.carriers.addresses import Lists
from holdall.carriers.prints import are_prints
from holdall.engine.uncertain import OtherCode
from holdall.errors import DecodeError
from holdall.objects.bag import BAG_MEMBER, RESIDUE_PREFIX, UNUSED_KEY, Bag, no_entries
from holdall.plan.bag_limits import BagLimits
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, is_json_object, json_kind

FORMAT: Final = 2
EARLIER_FORMATS: Final = frozenset({1})
"""In format 1, addresses have the fingerprint of their element, and lists have none."""

Carrier: TypeAlias = Literal["annotation", "field", "none"]
Compartment: TypeAlias = Literal["spec", "status"]
Entry: TypeAlias = tuple[str, str, str]
"""The object's address, origin version and key of one bag entry."""
Bags: TypeAlias = "dict[str, Bag]"
"""Bags by the address of their object."""
Residues: TypeAlias = "dict[str, list[str]]"
"""By origin, the properties of which something is noted."""
_WITHIN: Final = f"/{BAG_MEMBER}/"
"""Separates the address of a bag from the places of bags in its values."""

COMPARTMENTS: Final[tuple[Compartment, ...]] = ("spec", "status")
EarlierState: TypeAlias = Literal[
    "metadata absent", "metadata null", "annotations null", "annotations {}"
]
EARLIER_STATES: Final = frozenset(get_args(EarlierState))
_NO_KEYS: Final = frozenset[str]()
_OBJECTS: Final = frozenset({dict})
_OF_HOOKS: Final = f'"{RESIDUE_PREFIX}'.encode()
Digest: TypeAlias = Callable[[], str]


class Code(NamedTuple):
    """Digests of code that decides about kept entries: of two-way hooks, and of declared functions.

    They are computed when an envelope first needs them; "" if there is no such code.
    """

    hooks: Digest | None = None
    functions: Digest | None = None


NO_CODE: Final = Code()


@dataclass(frozen=True, slots=True)
class Envelope:
    """How the bags of one kind travel in its API documents; made once per kind.

    `group` is "" for plain documents. The budget of `limits` is for annotations and slots; the
    field carrier has no limit. `plan` and `code` are the current ones.
    """

    carrier: Carrier
    group: str
    kind: str
    limits: BagLimits = field(default_factory=BagLimits)
    plan: str = ""
    code: Code = NO_CODE
    _heads: dict[str, dict[str, JsonValue]] = field(default_factory=dict, init=False, compare=False)

    def text(self, version: str, cargo: Cargo, before: str, kept: tuple[JsonValue, ...]) -> bytes:
        """Return the JSON text of such an envelope."""
        head = self._heads.get(version)
        if head is None:
            head = self._heads[version] = _head(self.group, self.kind, version, self.plan)
        text = _json.encode_sorted(_filled(head, cargo, before, kept))
        hooks, functions = self.code
        if (hooks and _OF_HOOKS in text) or (functions and (cargo.residues or cargo.unseen)):
            head = {**head, "plan": self.stamp(cargo)}
            text = _json.encode_sorted(_filled(head, cargo, before, kept))
        return text

    def stamp(self, cargo: Cargo) -> str:
        """Return the stamp of stored entries: the digests of the plan, and of the code that will
        decide whether kept values still belong to what is shown."""
        hooks, functions = self.code
        keeps = hooks is not None and _OF_HOOKS in _json.encode(cargo.bags)
        parts = [self.plan, hooks() if hooks is not None and keeps else ""]
        if functions is not None and (cargo.residues or cargo.unseen):
            parts.append(functions())
        return ".".join(parts).rstrip(".")

    def is_earlier(self, stamp: str) -> bool:
        """Return whether entries were stored under another plan than the current one."""
        return plan_of(stamp) != self.plan

    def other_code(self, stamp: str) -> OtherCode:
        """Return which code was different when entries were kept, if that is known."""
        said = [*stamp.split("."), "", ""][1:3]
        own = zip(self.code, said, strict=True)
        return OtherCode(*(bool(one and now is not None and now() != one) for now, one in own))

    def contents(
        self, version: str, cargo: Cargo, before: str = "", kept: tuple[JsonValue, ...] = ()
    ) -> Contents:
        """Return the contents of an envelope of this kind."""
        stamp = self.stamp(cargo)
        return Contents(self.group, self.kind, version, cargo, before, kept, plan=stamp)


class Cargo(_json.Record):  # it is made several times faster than a dataclass
    """The bags of a document, or of one compartment of it, by the address of their object.

    `lists` are the fingerprints of the lists on the way. By address, also of bags in kept values,
    `residues` are the entries beside what is shown of them, and `unseen` those with a partner that
    shows nothing of them. If all entries are `hopeless`, none are in bags: no carrier has room for
    the lists they are in. They have the JSON Pointers of their objects instead of addresses.
    """

    bags: Bags
    lists: Lists = {}  # noqa: RUF012 - each gets its own
    residues: dict[str, Residues] = {}  # noqa: RUF012
    unseen: dict[str, Residues] = {}  # noqa: RUF012
    hopeless: list[Entry] = []  # noqa: RUF012

    def names(self) -> list[Entry]:
        """Return address, origin and key of all entries."""
        return names_of(self.bags) + self.hopeless


@dataclass(slots=True)
class Contents:
    """The contents of one envelope.

    `before` is the state of metadata that removing the carrier has to restore, "" for the usual
    one; `kept` is the value whose place the carrier took, as a tuple of none or one; `omitted`
    counts the entries that were over budget; `plan` is the stamp under which the entries were
    stored, empty in format 1.
    JSON: `{"v": 2, "group": …, "kind": …, "version": …, "plan": …, "bags": {address: bag}}`, and
    other members that are not empty.
    """

    group: str
    kind: str
    version: str
    cargo: Cargo
    before: str = ""
    kept: tuple[JsonValue, ...] = field(default=())
    omitted: int = 0
    plan: str = ""

    def write(self) -> dict[str, JsonValue]:
        """Return the JSON of the envelope; values are shared with it."""
        head = _head(self.group, self.kind, self.version, self.plan)
        members = _filled(head, self.cargo, self.before, self.kept)
        if self.omitted:
            members["omitted"] = self.omitted
        return members

    @classmethod
    def read(cls, value: JsonValue) -> Contents:
        """Return the contents of an envelope. Raises DecodeError with a path if it is malformed."""
        members = _checked(value)
        return cls(
            members["group"],
            members["kind"],
            members["version"],
            Cargo(members["bags"], members["lists"], members["residues"], members["unseen"]),
            members.get("before", ""),
            (members["kept"],) if "kept" in members else (),
            members.get("omitted", 0),
            members["plan"],
        )

    @classmethod
    def read_text(cls, text: str | bytes) -> Contents:
        """Do the same for the JSON text of an envelope."""
        try:
            usual = _decode_usual(text)
        except _json.SHAPE_ERRORS:
            return cls.read(_json.decode(text))
        cargo = Cargo(usual.bags, _read_lists(usual.lists), usual.residues, usual.unseen)
        kept = () if usual.kept is _json.UNSET else (usual.kept,)
        plan, omitted = usual.plan, usual.omitted
        return cls(usual.group, usual.kind, usual.version, cargo, usual.before, kept, omitted, plan)

    def keeping(self, kept: Collection[Entry], entries: Sized) -> Contents:
        """Return the contents with some of the entries, and the others counted as omitted."""
        own = self.cargo.bags
        bags: Bags = {}
        if len(entries) == len(own):  # one in each
            bags = {address: own[address] for address, _, _ in kept}
        else:
            held: dict[str, JsonValue] = {}
            chosen = held
            at: str | None = None
            of: str | None = None
            for address, origin, key in kept:
                if address is not at or origin is not of:
                    at, of, held = address, origin, own[address][origin]
                    chosen = bags.setdefault(address, {}).setdefault(origin, {})
                chosen[key] = held[key]
        residues, unseen = _of(kept, self.cargo.residues), _of(kept, self.cargo.unseen)
        lists = lists_on_the_way(self.cargo.lists, bags)
        cargo = Cargo(bags, lists, residues, unseen, self.cargo.hopeless)
        return replace(self, cargo=cargo, omitted=len(entries) - len(kept))


def _of(kept: Collection[Entry], noted: dict[str, Residues]) -> dict[str, Residues]:
    """Return what is noted of some entries, and of those of bags within their values."""
    found: dict[str, Residues] = {}
    if noted:
        for address, origin, key in kept:
            if key in noted.get(address, {}).get(origin, ()):
                found.setdefault(address, {}).setdefault(origin, []).append(key)
        places = {(address, join("", origin, key)) for address, origin, key in kept}
        for at, within in noted.items():
            address, _, place = at.partition(_WITHIN)
            if (address, "/" + "/".join(place.split("/")[:2])) in places:
                found[at] = within
    return found


def _head(group: str, kind: str, version: str, plan: str) -> dict[str, JsonValue]:
    # A placeholder for the bags.
    return {"v": FORMAT, "group": group, "kind": kind, "version": version, "plan": plan, "bags": {}}


def _filled(
    head: dict[str, JsonValue], cargo: Cargo, before: str, kept: tuple[JsonValue, ...]
) -> dict[str, Any]:
    """Return the JSON of an envelope, given the members that its kind and version share."""
    members: dict[str, Any] = head.copy()
    members["bags"] = cargo.bags
    if cargo.lists:
        members["lists"] = cargo.lists
    if cargo.residues:
        members["residues"] = cargo.residues
    if cargo.unseen:
        members["unseen"] = cargo.unseen
    if cargo.hopeless:
        members["omitted"] = len(cargo.hopeless)
    if before:
        members["before"] = before
    if kept:
        members["kept"] = kept[0]
    return members


def plan_of(stamp: str) -> str:
    """Return the digest of the plan."""
    return stamp.partition(".")[0]


def compartment_of(address: str) -> Compartment:
    """Return the compartment in which the bag of an object travels."""
    if address[:7] != "/status":
        return "spec"
    return "status" if len(address) == 7 or address[7] == "/" else "spec"


def lists_on_the_way(lists: Lists, addresses: Iterable[str]) -> Lists:
    """Return the lists on the way to addresses."""
    if not lists:
        return {}
    used: set[str] = set()
    for address in addresses:
        end = address.rfind("/[")
        while end >= 0 and (head := address[:end]) not in used:
            used.add(head)
            end = address.rfind("/[", 0, end)
    return {address: prints for address, prints in lists.items() if address in used}


def entries_of(bags: Bags) -> Iterator[tuple[str, str, str, JsonValue]]:
    """Yield address, origin, key and value of all entries, in order."""
    for address, bag in bags.items():
        for origin, entries in bag.items():
            for key, value in entries.items():
                yield address, origin, key, value


def hold_any(bags: Sequence[Bag], origin: str, keys: frozenset[str]) -> bool:
    """Return whether any of many bags has an entry of an origin with one of some keys."""
    return not keys.isdisjoint(_NO_KEYS.union(*[bag[origin] for bag in bags if origin in bag]))


def names_of(bags: Bags) -> list[Entry]:
    """Return address, origin and key of all entries."""
    return [
        (address, origin, key)
        for address, bag in bags.items()
        for origin, entries in bag.items()
        for key in entries
    ]


class _Usual(_json.Record, forbid_unknown_fields=True):
    """What `_checked` accepts, except malformed bags and earlier formats.

    It is decoded in one go, because there may be tens of thousands of bags.
    """

    v: Literal[2]
    group: str
    kind: str
    version: str
    plan: str
    bags: dict[str, dict[str, dict[str, Any]]]
    lists: dict[str, Any] = {}  # noqa: RUF012 - each gets its own
    residues: dict[str, dict[str, list[str]]] = {}  # noqa: RUF012
    unseen: dict[str, dict[str, list[str]]] = {}  # noqa: RUF012
    before: Literal[""] | EarlierState = ""
    kept: Any = _json.UNSET
    omitted: int = 0


_decode_usual: Final = _json.typed_decoder(_Usual)


def _checked(value: JsonValue) -> dict[str, Any]:
    """Return the members of an envelope with decoded bags and residues."""
    members = _object(value, "")
    form = members.get("v")
    if type(form) is not int or form not in (FORMAT, *EARLIER_FORMATS):
        later = ", found that of a later release" if type(form) is int and form > FORMAT else ""
        raise DecodeError(f"expected an envelope of format {FORMAT}{later}", "/v")
    if unknown := members.keys() - _Usual.__struct_fields__:
        raise DecodeError("unknown member of an envelope", f"/{min(unknown)}")
    before = members.get("before", "")
    if type(before) is not str or (before and before not in EARLIER_STATES):
        raise DecodeError("unknown earlier state of metadata", "/before")
    omitted = members.get("omitted", 0)
    if type(omitted) is not int:
        raise DecodeError(f"expected integer, found {json_kind(omitted)}", "/omitted")
    is_earlier = form in EARLIER_FORMATS
    return {
        **members,
        "bags": _read_bags(members.get("bags")),
        "lists": _read_lists(members.get("lists", {})),
        "residues": _read_residues(members, "residues"),
        "unseen": _read_residues(members, "unseen"),
        "group": _string(members, "group"),
        "kind": _string(members, "kind"),
        "version": _string(members, "version"),
        "plan": "" if is_earlier else _string(members, "plan"),
    }


def _read_bags(value: JsonValue) -> Bags:
    bags: Bags = {}
    members: dict[str, Any] = _object(value, "/bags")
    for address, bag in members.items():
        origins: dict[str, Any] = bag if type(bag) is dict else {"": bag}
        if set(map(type, origins.values())) - _OBJECTS:
            # Bags that are not objects are kept unchanged, and the others are used.
            origins = {
                origin: entries if type(entries) is dict else {UNUSED_KEY: no_entries(entries)}
                for origin, entries in origins.items()
            }
        bags[address] = origins
    return bags


def _read_lists(value: JsonValue) -> Lists:
    lists: Lists = {}
    for address, prints in _object(value, "/lists").items():
        if not are_prints(prints):
            raise DecodeError("expected fingerprints", join("/lists", address))
        lists[address] = prints
    return lists


def _read_residues(members: dict[str, JsonValue], name: str) -> dict[str, Residues]:
    found: dict[str, Residues] = {}
    for address, by_origin in _object(members.get(name, {}), f"/{name}").items():
        path = join("", name, address)
        for origin, keys in _object(by_origin, path).items():
            if type(keys) is not list:
                raise DecodeError(f"expected list, found {json_kind(keys)}", join(path, origin))
            known = [key for key in keys if isinstance(key, str)]
            found.setdefault(address, {})[origin] = known
    return found


def _object(value: JsonValue, path: str) -> dict[str, JsonValue]:
    if not is_json_object(value):
        raise DecodeError(f"expected object, found {json_kind(value)}", path)
    return value


def _string(members: dict[str, JsonValue], name: str) -> str:
    value = members.get(name)
    if type(value) is not str:
        raise DecodeError(f"expected string, found {json_kind(value)}", f"/{name}")
    return value

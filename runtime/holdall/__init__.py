"""holdall: versioned resources, converted without losing anything.

Generated code and hooks import this package as `h`; users start from a generated `SCHEME`.
"""

from typing import TYPE_CHECKING, Any, Self

from typing_extensions import deprecated, override

from holdall.bag import PropertyBag
from holdall.bag_limits import BagLimits
from holdall.codec import (
    copy_json,
    copy_list,
    copy_map,
    json_list,
    json_object,
    list_reader,
    map_list,
    map_map,
    map_reader,
    over_list,
    over_map,
    read_each,
    read_rest,
    read_values,
    stored,
    unread_members,
    write_bag,
    write_each,
    write_nested,
    write_values,
)
from holdall.computed import FAIL, computed, constant, scalar, variants
from holdall.conversions import (
    chain,
    each,
    flipped,
    kinds,
    opened,
    recurse,
    reference,
    renamed_values,
    same,
    through,
    values,
    wrap,
)
from holdall.defaulted import Defaulted
from holdall.edges import (
    converted_from,
    converted_to,
    each_from,
    each_to,
    values_from,
    values_to,
)
from holdall.errors import (
    BagError,
    ConversionError,
    DecodeError,
    FunctionFailure,
    HoldallError,
    HookError,
    HookFailure,
    InternalError,
    MisfitError,
    PlanError,
    Problem,
    SchemeError,
    SourceError,
    UnknownKindError,
)
from holdall.forms import PLAIN, EachForm, ObjectForm
from holdall.functions import function
from holdall.hooks import (
    BagView,
    Claims,
    Composed,
    SharedHook,
    claims,
    is_null,
    set_absent,
    set_null,
)
from holdall.moves import Move, MovePath, Moves
from holdall.objects import (
    Lifted,
    MissingMember,
    Object,
    StorageObject,
    StorageRoot,
    WrongKind,
    new,
)
from holdall.pairs import Pair
from holdall.scheme import Kind, Scheme, Version
from holdall.serialization import (
    KEEP_UNKNOWN,
    JsonConfig,
    UnknownMembers,
    api_version_member,
    bag_member,
    is_none,
    member,
    nested,
    version_member,
)
from holdall.tracking.settings import Tracking
from holdall.two_way import EachValue, Members, TwoWay
from holdall.types import JsonObject, JsonValue
from holdall.unions import UnionEdge
from holdall.version import VERSION as __version__
from holdall.wire_forms import (
    StorageTuple,
    StorageUnion,
    Tuple,
    Union,
    close_tuple,
    close_union,
    open_tuple,
    open_union,
)

if TYPE_CHECKING:
    from holdall.auditing import Finding, audit

__all__ = [
    "FAIL",
    "KEEP_UNKNOWN",
    "PLAIN",
    "BagError",
    "BagLimits",
    "BagView",
    "Claims",
    "Composed",
    "ConversionError",
    "DecodeError",
    "Defaulted",
    "EachForm",
    "EachValue",
    "Finding",
    "FunctionFailure",
    "HoldallError",
    "HookError",
    "HookFailure",
    "InternalError",
    "JsonConfig",
    "JsonObject",
    "JsonValue",
    "Kind",
    "Lifted",
    "Members",
    "MisfitError",
    "MissingMember",
    "Move",
    "MovePath",
    "Moves",
    "Object",
    "ObjectForm",
    "Pair",
    "PlanError",
    "Problem",
    "PropertyBag",
    "Scheme",
    "SchemeError",
    "Self",
    "SharedHook",
    "SourceError",
    "StorageObject",
    "StorageRoot",
    "StorageTuple",
    "StorageUnion",
    "Tracking",
    "Tuple",
    "TwoWay",
    "Union",
    "UnionEdge",
    "UnknownKindError",
    "UnknownMembers",
    "Version",
    "WrongKind",
    "__version__",
    "api_version_member",
    "audit",
    "bag_member",
    "chain",
    "claims",
    "close_tuple",
    "close_union",
    "computed",
    "constant",
    "converted_from",
    "converted_to",
    "copy_json",
    "copy_list",
    "copy_map",
    "deprecated",
    "each",
    "each_from",
    "each_to",
    "flipped",
    "function",
    "is_none",
    "is_null",
    "json_list",
    "json_object",
    "kinds",
    "list_reader",
    "map_list",
    "map_map",
    "map_reader",
    "member",
    "nested",
    "new",
    "open_tuple",
    "open_union",
    "opened",
    "over_list",
    "over_map",
    "override",
    "read_each",
    "read_rest",
    "read_values",
    "recurse",
    "reference",
    "renamed_values",
    "same",
    "scalar",
    "set_absent",
    "set_null",
    "stored",
    "through",
    "unread_members",
    "values",
    "values_from",
    "values_to",
    "variants",
    "version_member",
    "wrap",
    "write_bag",
    "write_each",
    "write_nested",
    "write_values",
]


def __getattr__(name: str) -> Any:
    # Audits are no part of converting: their modules are imported when they are asked for.
    if name in ("Finding", "audit"):
        from holdall import auditing

        return getattr(auditing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

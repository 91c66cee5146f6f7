"""What generated code uses of the runtime; it imports this module as `h`."""

from importlib import import_module
from typing import TYPE_CHECKING

from typing_extensions import deprecated

from holdall.engine.computed import FAIL, computed, constant, scalar, variants
from holdall.engine.conversions import (
    chain,
    each,
    flipped,
    kinds,
    opened,
    renamed_values,
    same,
    values,
    wrap,
)
from holdall.engine.defaults import Defaulted
from holdall.engine.durations import duration
from holdall.engine.functions import function
from holdall.engine.hooks import BagView
from holdall.engine.keyed import keyed
from holdall.engine.lossy_pairs import Pair
from holdall.engine.member_ways import Way
from holdall.engine.members import (
    BAG,
    Steps,
    assign,
    complete,
    convert,
    convert_deep,
    convert_each,
    convert_values,
    end,
    finish,
    keep,
    open_bag,
    pull,
    pull_linked,
    put,
    require_hook,
    start,
    stash,
    take,
    tuple_members,
    union_members,
)
from holdall.engine.moves import Move, MovePath, Moves
from holdall.engine.object_values import recurse, reference, through
from holdall.engine.quantities import quantity
from holdall.engine.unions import UnionEdge
from holdall.engine.zero_values import hides_zero
from holdall.inner.declared import InnerDocuments
from holdall.objects.bag import ORIGINAL_VERSION_MEMBER as ORIGINAL_VERSION
from holdall.objects.bag_forms import PLAIN, EachForm, ObjectForm
from holdall.objects.base import Object
from holdall.objects.heads import MemberHead
from holdall.objects.views import (
    Member,
    RecordedVersion,
    StorageObject,
    StorageRoot,
    StorageTuple,
    StorageUnion,
)
from holdall.objects.wire_forms import Tuple, Union, close_tuple, close_union
from holdall.plan.bag_limits import BagLimits
from holdall.plan.tracking import Tracking
from holdall.scheme.entries import Kind, Version
from holdall.scheme.scheme import ConvertOptions, Scheme
from holdall.types import JsonObject, Members
from holdall.version import generated_by

if TYPE_CHECKING:
    from holdall.objects.serialization import (
        UnknownMembers,
        api_version_member,
        member,
    )

__all__ = [
    "BAG",
    "FAIL",
    "ORIGINAL_VERSION",
    "PLAIN",
    "BagLimits",
    "BagView",
    "ConvertOptions",
    "Defaulted",
    "EachForm",
    "InnerDocuments",
    "JsonObject",
    "Kind",
    "Member",
    "MemberHead",
    "Members",
    "Move",
    "MovePath",
    "Moves",
    "Object",
    "ObjectForm",
    "Pair",
    "RecordedVersion",
    "Scheme",
    "Steps",
    "StorageObject",
    "StorageRoot",
    "StorageTuple",
    "StorageUnion",
    "Tracking",
    "Tuple",
    "Union",
    "UnionEdge",
    "UnknownMembers",
    "Version",
    "Way",
    "api_version_member",
    "assign",
    "chain",
    "close_tuple",
    "close_union",
    "complete",
    "computed",
    "constant",
    "convert",
    "convert_deep",
    "convert_each",
    "convert_values",
    "deprecated",
    "duration",
    "each",
    "end",
    "finish",
    "flipped",
    "function",
    "generated_by",
    "hides_zero",
    "keep",
    "keyed",
    "kinds",
    "member",
    "open_bag",
    "opened",
    "pull",
    "pull_linked",
    "put",
    "quantity",
    "recurse",
    "reference",
    "renamed_values",
    "require_hook",
    "same",
    "scalar",
    "start",
    "stash",
    "take",
    "through",
    "tuple_members",
    "union_members",
    "values",
    "variants",
    "wrap",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Storage twins do without what only API types use.
        if name in __all__:
            return getattr(import_module("holdall.objects.serialization"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

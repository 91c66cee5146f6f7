"""Carriers: where property bags travel while an object is an API document, and how they return.

`take_bags` takes the bags off the objects of a tree, `lift` puts them into its document, `unload`
takes them out again before the document is read, `restore` gives them back to the objects.
Source: property-bag contract, section 5.14; webhook contract, section 7.
"""

from holdall.carriers.annotations import (
    ANNOTATIONS,
    ANNOTATIONS_LIMIT,
    SPEC_ANNOTATION,
    STATUS_ANNOTATION,
    annotations_size,
    earlier_state,
    restore_metadata,
)
from holdall.carriers.boundary import (
    Dropped,
    Load,
    Lost,
    carried_bytes,
    restore,
    unload,
)
from holdall.carriers.carrying import Taken, lift, take_bags
from holdall.carriers.envelope import Cargo, Carrier, Entry, Envelope
from holdall.carriers.evolution import Evolution
from holdall.carriers.hidden_extras import hide_extras, hide_in_bags, mark_shown_extras
from holdall.carriers.pruning import Places, is_hidden_extra, pruned_places
from holdall.carriers.text import annotation_text, decode_annotation
from holdall.plan.bag_limits import DEFAULT_BUDGET, BagLimits

__all__ = [
    "ANNOTATIONS",
    "ANNOTATIONS_LIMIT",
    "DEFAULT_BUDGET",
    "SPEC_ANNOTATION",
    "STATUS_ANNOTATION",
    "BagLimits",
    "Cargo",
    "Carrier",
    "Dropped",
    "Entry",
    "Envelope",
    "Evolution",
    "Load",
    "Lost",
    "Places",
    "Taken",
    "annotation_text",
    "annotations_size",
    "carried_bytes",
    "decode_annotation",
    "earlier_state",
    "hide_extras",
    "hide_in_bags",
    "is_hidden_extra",
    "lift",
    "mark_shown_extras",
    "pruned_places",
    "restore",
    "restore_metadata",
    "take_bags",
    "unload",
]

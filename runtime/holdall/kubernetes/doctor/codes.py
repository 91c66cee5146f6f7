"""The codes of what the doctor finds beyond what an API server would refuse."""

from __future__ import annotations

from typing import Final

OTHER_TYPE: Final = "HA847"
PROPERTY_NOT_IN_CRD: Final = "HA848"
PROPERTY_UNKNOWN: Final = "HA849"
STORAGE_NOT_NEWEST: Final = "HA867"
LEFT_OVER: Final = "HA869"
NO_SLOT: Final = "HA870"
NO_STATUS_SUBRESOURCE: Final = "HA871"
FORGEABLE: Final = "HA872"
NO_HEADROOM: Final = "HA873"
EMBEDDED: Final = "HA874"
NO_KEYS: Final = "HA875"
NOT_IN_PROJECT: Final = "HA876"
NOT_IN_CRD: Final = "HA877"
UNKNOWN_KIND: Final = "HA878"
NO_CONVERSION: Final = "HA879"

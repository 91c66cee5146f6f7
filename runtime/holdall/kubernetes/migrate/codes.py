"""The codes of problems of a migration, and the error that carries them."""

from __future__ import annotations

from typing import Final

from holdall.errors import ProblemsError

NOT_MIGRATABLE: Final = "HA891"
NO_CONVERSION: Final = "HA892"
NO_CONVERTER: Final = "HA893"
NOT_RETURNING: Final = "HA894"
OBJECT_REFUSED: Final = "HA895"
CRD_CHANGED: Final = "HA896"
BAD_STATE: Final = "HA897"
FIELDS_REFUSED: Final = "HA898"


class MigrateError(ProblemsError):
    """A migration that was not begun, or that stopped; `problems` say where and why."""

    code = "HA899"

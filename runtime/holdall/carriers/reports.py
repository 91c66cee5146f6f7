"""What a conversion reports: what was lost, dropped, or kept without being used."""

from __future__ import annotations

from typing import TypeAlias

from holdall.carriers import Dropped, Lost
from holdall.objects.tolerance import Unused

Report: TypeAlias = list[Lost | Dropped | Unused]

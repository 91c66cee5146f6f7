"""The laws hold for all sample groups, with all hooks."""

from __future__ import annotations

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.testing import laws

test_laws_of_batch = laws.suite(BATCH)
test_laws_of_fleet = laws.suite(FLEET)
test_laws_of_people = laws.suite(PEOPLE, examples=15)

"""The laws hold for all sample groups, with all hooks."""

from __future__ import annotations

from generated.batch import SCHEME as BATCH
from generated.fleet import SCHEME as FLEET
from generated.people import SCHEME as PEOPLE
from holdall.testing import laws
from holdall.testing.laws.mutant_runs import EXAMPLES
from tests.laws.checks import scaled

# As many as `holdall laws --mutants` takes to notice a mutant of these groups.
test_laws_of_batch = laws.suite(BATCH, examples=scaled(EXAMPLES))
test_laws_of_fleet = laws.suite(FLEET, examples=scaled(EXAMPLES))
test_laws_of_people = laws.suite(PEOPLE, examples=scaled(15))

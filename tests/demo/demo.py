"""The tour of holdall on the sample project: `make demo`.

Exit code 1 if anything is not as the text says.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

from holdall import HoldallError, JsonObject, JsonValue, Scheme, audit
from holdall.text.json import encode, same
from holdall.text.loading import load_file
from holdall_codegen.output.checking import check
from holdall_codegen.output.generation import generate
from holdall_codegen.project import load_project
from holdall_codegen.views.hook_report import report_hooks
from holdall_codegen.views.plan_report import count_fates

ROOT = Path(__file__).parents[2]
WIDTH = 88


class Surprise(Exception):
    """Something is not as the tour says."""


def main() -> int:
    """Take the tour; return the exit code."""
    tour = (
        regenerate,
        summarize_plan,
        convert_everything,
        look_into_a_bag,
        edit_an_old_version,
        break_a_hook,
    )
    surprises = 0
    for number, stop in enumerate(tour, 1):
        title, _, text = (stop.__doc__ or "").partition("\n")
        print(f"\n{number}. {title}\n{'=' * (len(title) + len(str(number)) + 2)}")
        print(textwrap.dedent(text).strip() + "\n")
        try:
            stop()
        except (Surprise, HoldallError) as error:
            surprises += 1
            print(f"\nNOT AS EXPECTED: {error}")
    print(f"\n{'All as expected.' if not surprises else f'{surprises} surprises.'}")
    return 1 if surprises else 0


# --- the stops -------------------------------------------------------------------------------


def regenerate() -> None:
    """Generate the code

    holdall.yaml names the schemas in schemas/, the order of their versions, and their
    declared differences. From it holdall generates typed dataclasses, storage twins and converters
    below generated/. It does not write files that would not change.
    """
    result = generate(ROOT)
    print("$ holdall generate")
    for path in result.written:
        print(f"wrote    {path}")
    print(f"{len(result.written)} written, {result.unchanged} unchanged")
    expect(not result.problems, "the hooks have mistakes: " + "; ".join(map(str, result.problems)))


def summarize_plan() -> None:
    """Look at the plan

    For each pair of neighbouring versions the generator decides what happens to every property.
    `holdall plan` shows each decision with its reason; this is how many there are of each kind.
    """
    project = load_project(ROOT)
    points = report_hooks(project).points
    for plan in project.plans.values():
        versions = " -> ".join(version.name for version in plan.versions)
        print(f"{plan.name}: {versions}")
        own = [bound for bound in points if bound.package == plan.package]
        for fate, count in count_fates(own).items():
            print(f"  {count:4} {fate:18} {_MEANING.get(fate, '')}")
        for bound in own:
            if bound.hook is not None:
                edge, hook = bound.edge, bound.hook
                print(f"  hook {hook.name} at {hook.file}:{hook.line}")
                print(f"       completes {edge.older} -> {edge.newer}")
        print()
    hooked = {bound.package for bound in points if bound.hook is not None}
    expect(hooked == {"batch"}, "only the batch group has hooks")


_MEANING = {
    "copied": "the same on both sides",
    "recursed": "objects of a type that has a plan of its own",
    "renamed": "the same value under another name",
    "converted": "the same meaning in another shape",
    "moved": "the same value at another depth",
    "stashed": "unknown to the newer version: kept in the bag",
    "pulled": "unknown to the older version: comes out of the bag",
    "claimed by a hook": "left to hand-written code",
}


def convert_everything() -> None:
    """Convert every sample to every version, and back

    Each object of samples/ is converted to all versions of its group and back again. What a
    version cannot express travels in the object's property bag, so nothing is lost.
    """
    different = 0
    for scheme, obj in samples():
        written = short_version(obj)
        outcomes = []
        for version in scheme.versions:
            if version.name == written:
                continue
            there = scheme.convert(obj, to=version.name)
            back = scheme.convert(there, to=text_at(obj, "apiVersion"))
            changed = list(differences(obj, back))
            different += bool(changed)
            outcomes.append(f"{version.name}: {'; '.join(changed) or 'identical'}")
        print(f"{obj['kind']} {name_of(obj)}, {written} and back from")
        print(f"    {'   '.join(outcomes)}")
    expect(not different, f"{different} conversions lost something")


def look_into_a_bag() -> None:
    """Look into a property bag

    A client of the oldest version reads an object of a newer one. The client sees what its version
    can express. An annotation holds the rest, each value with the version whose shape it has.
    """
    scheme, obj = sample("steady")
    old = scheme.convert(obj, to="v20210101")
    print(f"Pool steady, written at {short_version(obj)}, read at v20210101:\n")
    findings = audit(old, scheme)
    for finding in findings:
        print(f"{finding.path}: {finding.property} of {finding.origin} is {show(finding.value)}")
        print(textwrap.indent(textwrap.fill(finding.why, WIDTH - 4), "    "))
    kept = {finding.property for finding in findings}
    expect(kept == {"forceUpgrade", "residue:options", "zones"}, f"the bag holds {sorted(kept)}")


def edit_an_old_version() -> None:
    """Edit at an old version

    The bag never overrides what a user can see. A client of the oldest version changes the name
    of the tier; the newer version gets the new name, and the end date of the old tier is dropped,
    because it belonged to that tier. Everything else is as before.
    """
    scheme, obj = sample("simulation")
    old = scheme.convert(obj, to="v20210101")
    print(f"at v20230501   tier: {show(at(obj, 'spec', 'tier'))}")
    print(f"at v20210101   tier: {show(at(old, 'spec', 'tier'))}   <- edited to silver")
    spec_of(old)["tier"] = "silver"
    new = scheme.convert(old, to="v20230501")
    print(f"at v20230501   tier: {show(at(new, 'spec', 'tier'))}")
    changed = list(differences(obj, new))
    print(f"\ndifferent from before: {', '.join(changed)}")
    expect(same(at(new, "spec", "tier"), {"name": "silver"}), "the edit did not survive")
    expect(all(item.startswith("/spec/tier") for item in changed), "something else moved")


def break_a_hook() -> None:
    """Make a mistake in a hook

    A hook that is never called would silently lose data, so holdall checks hooks before it runs
    them. In a copy of the project, the name of a protocol and a claim are misspelt.
    """
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        shutil.copy(ROOT / "holdall.yaml", project)
        for name in ("schemas", "hooks", "generated"):
            shutil.copytree(ROOT / name, project / name)
        hook = project / "hooks/batch/mounts.py"
        hook.write_text(hook.read_text().replace("AssignableMount", "AssignableMont"))
        hook = project / "hooks/batch/upgrades.py"
        hook.write_text(hook.read_text().replace('reads=["forceUpgrade",', 'reads=["forceUpgade",'))
        problems = check(project).problems
    print("$ holdall check")
    for problem in problems:
        for line in str(problem).splitlines():
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            print(textwrap.fill(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False))
        print()
    # The misspelt protocol leaves its own without a hook; the misspelt claim leaves one unclaimed.
    found = {problem.code for problem in problems}
    expect(found == {"HA310", "HA316", "HA342", "HA346"}, "the mistakes are not all found")


# --- what the stops use ----------------------------------------------------------------------


def expect(claim: bool, otherwise: str) -> None:
    if not claim:
        raise Surprise(otherwise)


def samples() -> Iterator[tuple[Scheme, JsonObject]]:
    """Yield every sample object with the scheme of its group."""
    from generated.batch import SCHEME as BATCH
    from generated.fleet import SCHEME as FLEET
    from generated.people import SCHEME as PEOPLE

    schemes = {scheme.group: scheme for scheme in (BATCH, FLEET, PEOPLE)}
    for file in sorted((ROOT / "samples").rglob("*.yaml")):
        for document in load_file(file):
            obj = document.value
            expect(isinstance(obj, dict), f"{document.where()} is not an object")
            if isinstance(obj, dict):
                yield schemes[text_at(obj, "apiVersion").partition("/")[0]], obj


def sample(name: str) -> tuple[Scheme, JsonObject]:
    return next((scheme, obj) for scheme, obj in samples() if name_of(obj) == name)


def at(value: JsonValue, *path: str) -> JsonValue:
    """Return what stands at a path; null if nothing does."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def text_at(value: JsonValue, *path: str) -> str:
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def spec_of(obj: JsonObject) -> JsonObject:
    spec = obj["spec"]
    if not isinstance(spec, dict):
        raise Surprise("the object has no spec")
    return spec


def name_of(obj: JsonObject) -> str:
    return text_at(obj, "metadata", "name") or text_at(obj, "name")


def short_version(obj: JsonObject) -> str:
    return text_at(obj, "apiVersion").rpartition("/")[2]


def show(value: JsonValue) -> str:
    """Return a value as short JSON."""
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {show(item)}' for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    return encode(value).decode()


def differences(one: JsonValue, other: JsonValue, path: str = "") -> Iterator[str]:
    """Yield the JSON paths at which two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            if key in one and key in other:
                yield from differences(one[key], other[key], f"{path}/{key}")
            else:
                yield f"{path}/{key} {'is new' if key in other else 'is gone'}"
    elif not same(one, other):
        yield f"{path} is another value"


if __name__ == "__main__":
    sys.exit(main())

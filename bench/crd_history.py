"""What `holdall breaking` says of releases that are over: the CRDs of a git repository, tag by tag.

    python -m bench.crd_history REPOSITORY --path config/crd/bases v1.0.0 v1.1.0 v1.2.0

REPOSITORY may be bare. With `--converted` a webhook converts between versions, though the files do
not say so: many projects add it when they build what they release. Instead of a repository, a
folder works that has a folder for each state. Prints the table of docs/breaking-history.md;
`--findings` lists all of them, `--json` in parts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatch
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from holdall_codegen.breaking.gate import find_breaking
from holdall_codegen.breaking.reading import Api, read_api
from holdall_codegen.breaking.rules import RULES, Finding


def main(arguments: list[str] | None = None) -> None:
    """Compare each state with the one before it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", type=Path)
    where = "where CRDs lie, as config/crd/bases or config/300-*.yaml; repeatable"
    parser.add_argument("--path", action="append", default=[], help=where)
    parser.add_argument("--converted", action="store_true", help="as if all had a webhook")
    parser.add_argument("--findings", action="store_true", help="list the findings")
    parser.add_argument("--json", action="store_true", help="the same, a line each as JSON")
    parser.add_argument("states", nargs="+", help="revisions, or names of folders, oldest first")
    options = parser.parse_args(arguments)
    if not options.json:
        print("| from → to | findings | by rule |\n|---|---|---|")
    for old, new in pairwise(options.states):
        found = _breaking(options, old, new)
        if options.json:
            for item in found:
                print(json.dumps({"from": old, "to": new, **item.value()}))
        else:
            print(f"| {old} → {new} | {len(found)} | {_by_rule(found)} |", flush=True)
            if options.findings:
                for item in found:
                    print(f"    {item.name} {item.subject}: {item.what}")


def _breaking(options: argparse.Namespace, old: str, new: str) -> tuple[Finding, ...]:
    with ExitStack() as stack:
        before, after = (
            _api(stack.enter_context(_state(options.repository, options.path, state)), options)
            for state in (old, new)
        )
        return find_breaking(before, after, today=datetime.now(UTC).date()).findings


def _api(folder: Path, options: argparse.Namespace) -> Api:
    api = read_api(folder)
    if not options.converted:
        return api
    return replace(
        api, kinds={key: replace(kind, is_converted=True) for key, kind in api.kinds.items()}
    )


@contextmanager
def _state(repository: Path, paths: list[str], state: str) -> Iterator[Path]:
    """Yield a folder with the CRDs of a state."""
    if (repository / state).is_dir():
        yield repository / state
        return
    files = _git(repository, "ls-tree", "-r", "-z", "--name-only", state).decode().split("\0")
    names = [name for name in files if name.endswith((".yaml", ".yml")) and _is_below(name, paths)]
    if not names:
        raise SystemExit(f"{state} has no YAML below {', '.join(paths) or '.'}")
    with TemporaryDirectory() as folder:
        packed = _git(repository, "archive", "--format=tar", state, *names)
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


def _is_below(name: str, paths: list[str]) -> bool:
    return not paths or any(fnmatch(name, path) or fnmatch(name, f"{path}/*") for path in paths)


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", repository, *arguments], check=True, stdout=-1).stdout


def _by_rule(found: tuple[Finding, ...]) -> str:
    counts = Counter(item.name for item in found)
    return ", ".join(f"`{name}` {counts[name]}" for name in RULES if counts[name])


if __name__ == "__main__":
    main()

"""One PostgreSQL for the whole run. The suite runs only when it is named on the command line."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent
_USER = "postgres"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the suite out of every run that does not name it."""
    named = (Path(text.partition("::")[0]).resolve() for text in config.args)
    return None if any(path.is_relative_to(_HERE) for path in named) else True


def as_server(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a program of PostgreSQL; as root under the name of another, since it refuses root."""
    user = _USER if os.geteuid() == 0 else None
    return subprocess.run(
        [str(part) for part in command],
        user=user,
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
    )


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server of this run; without its programs the suite is skipped."""
    found = subprocess.run(
        [_HERE / "assets.sh"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if found.returncode == 3:
        pytest.skip(found.stderr.strip())
    programs = Path(found.stdout.strip())
    folder = Path(tempfile.mkdtemp(prefix="holdall-pg-"))
    if os.geteuid() == 0:
        os.chown(folder, pwd.getpwnam(_USER).pw_uid, -1)
    data = folder / "data"
    as_server(programs / "initdb", "-D", data, "-U", _USER, "--auth", "trust", "-E", "UTF8")
    settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    control = (programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log")
    as_server(*control, "-o", settings, "start")
    try:
        yield f"postgresql+psycopg://{_USER}@/postgres?host={folder}"
    finally:
        as_server(*control, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)

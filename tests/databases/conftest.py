"""One server of each kind for the whole run; the suite runs only when it is named."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

_HERE = Path(__file__).resolve().parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the suite out of every run that does not name it."""
    named = (Path(text.partition("::")[0]).resolve() for text in config.args)
    return None if any(path.is_relative_to(_HERE) for path in named) else True


def as_server(*command: str | Path, user: str = "postgres") -> subprocess.CompletedProcess[str]:
    """Run a program of a server; as root under the name of another, since servers refuse root."""
    return subprocess.run(
        [str(part) for part in command],
        user=user if os.geteuid() == 0 else None,
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
    )


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)


def _programs(server: str) -> Path:
    """Return the folder of a server's programs; without them its tests are skipped."""
    found = subprocess.run(
        [_HERE / "assets.sh", server],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if found.returncode == 3:
        pytest.skip(found.stderr.strip())
    assert found.returncode == 0, found.stderr
    return Path(found.stdout.strip())


@contextmanager
def _folder(user: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="holdall-db-"))
    if os.geteuid() == 0:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL of this run."""
    programs = _programs("postgresql")
    with _folder("postgres") as folder:
        data = folder / "data"
        as_server(
            programs / "initdb", "-D", data, "-U", "postgres", "--auth", "trust", "-E", "UTF8"
        )
        settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        control = (programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log")
        as_server(*control, "-o", settings, "start")
        try:
            yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
        finally:
            as_server(*control, "-m", "immediate", "stop")


@pytest.fixture(scope="session")
def mariadb() -> Iterator[str]:
    """The URL of a MariaDB of this run, which SQLAlchemy knows as MySQL."""
    programs = _programs("mariadb")
    with _folder("mysql") as folder:
        paths = f"{programs}{os.pathsep}{os.environ['PATH']}"
        install = shutil.which("mariadb-install-db", path=paths)
        assert install
        login = "--auth-root-authentication-method=normal"
        data = f"--datadir={folder / 'data'}"
        as_server(install, "--no-defaults", data, login, "--skip-test-db", user="mysql")
        with _served([programs / "mariadbd"], folder, "mysql") as url:
            yield url


@pytest.fixture(scope="session")
def mysql() -> Iterator[str]:
    """The URL of a MySQL of this run."""
    program = _programs("mysql") / "mysqld"
    # It may lie where only its owner can read, and runs as root if that is said.
    user = pwd.getpwuid(os.geteuid()).pw_name
    with _folder(user) as folder:
        data = f"--datadir={folder / 'data'}"
        as_server(
            program, "--no-defaults", "--initialize-insecure", data, f"--user={user}", user=user
        )
        with _served(
            [program, "--mysqlx=OFF", "--secure-file-priv=NULL", f"--user={user}"], folder, user
        ) as url:
            yield url


@contextmanager
def _served(server: Sequence[str | Path], folder: Path, user: str) -> Iterator[str]:
    """Run a MySQL or MariaDB on the data in a folder; yield the URL of a new database."""
    program, *options = server
    socket, log = folder / "socket", folder / "log"
    with log.open("w") as messages:
        process = subprocess.Popen(
            [
                *(program, "--no-defaults", f"--datadir={folder / 'data'}", f"--socket={socket}"),
                *("--skip-networking", "--innodb-flush-log-at-trx-commit=0"),
                *("--character-set-server=utf8mb4", *options),
            ],
            user=user if os.geteuid() == 0 else None,
            stderr=messages,
        )
    try:
        for _ in range(600):
            if socket.exists() or process.poll() is not None:
                break
            time.sleep(0.1)
        assert process.poll() is None and socket.exists(), log.read_text()
        at = f"?unix_socket={socket}&charset=utf8mb4"
        engine = sa.create_engine(f"mysql+pymysql://root@/{at}")
        with engine.begin() as connection:
            connection.execute(sa.text("create database things"))
        engine.dispose()
        yield f"mysql+pymysql://root@/things{at}"
    finally:
        process.kill()
        process.wait()

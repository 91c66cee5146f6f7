"""holdall as a user runs it: a project of its own, its command line, and its server."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import ssl
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.e2e.harness.api import Api
from tests.e2e.harness.certificates import Authority, Pair
from tests.e2e.harness.crds import Resource, conversion, create_crd
from tests.e2e.harness.processes import Program, free_port, wait_for

SOURCE: Final = Path(__file__).resolve().parent.parent / "data/project"
_GROUP: Final = "post.e2e.example.com"


@dataclass(frozen=True, slots=True)
class Project:
    """A generated project in a folder of its own, and its API group."""

    root: Path
    group: str

    def holdall(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of holdall in the project, whatever comes of it."""
        return subprocess.run(
            [*_HOLDALL, "--project", str(self.root), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def succeed(self, *arguments: str) -> str:
        """Run a command that must exit with 0, and return what it printed."""
        done = self.holdall(*arguments)
        assert done.returncode == 0, f"holdall {' '.join(arguments)}: {done.stderr}{done.stdout}"
        return done.stdout

    def crds(self) -> dict[str, dict[str, Any]]:
        """Return what `holdall crd` makes, by kind."""
        crds: list[dict[str, Any]] = json.loads(self.succeed("crd", "--json"))["crds"]
        return {crd["spec"]["names"]["kind"]: crd for crd in crds}


_HOLDALL: Final = (sys.executable, "-m", "holdall")


def make_project(root: Path, group: str) -> Project:
    """Copy the project of the suite to a folder, with a group of its own, and generate it."""
    shutil.copytree(SOURCE, root)
    config = root / "holdall.yaml"
    config.write_text(config.read_text().replace(_GROUP, group))
    project = Project(root, group)
    project.succeed("generate")
    return project


@dataclass(frozen=True, slots=True)
class CertificateFolder:
    """The folder of `holdall certs`: another authority for a server than the suite's own.

    Its certificate is for 127.0.0.1, and for a Service `name.namespace` if one is given.
    """

    project: Project
    path: Path
    service: str = ""

    @property
    def pem(self) -> bytes:
        """What clients are to trust now."""
        return (self.path / "ca.crt").read_bytes()

    @property
    def bundle(self) -> str:
        """The same as a CRD's `caBundle` holds it."""
        return base64.b64encode(self.pem).decode()

    def issue(self, folder: Path) -> Pair:
        """Make the folder; the certificate and its key stay in it."""
        names = ["--ip", "127.0.0.1", *(["--service", self.service] if self.service else [])]
        self.project.succeed("certs", "create", str(self.path), *names)
        return Pair(self.path / "tls.crt", self.path / "tls.key")


class Server:
    """A running `holdall serve`. It can be stopped and started again at the same address."""

    def __init__(
        self, root: Path, folder: Path, authority: Authority | CertificateFolder, *options: str
    ) -> None:
        """Start it for the project in `root`; certificate and log are files in `folder`."""
        self.folder = folder
        self.pair: Pair = authority.issue(folder)
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}/convert"
        self.bundle = authority.bundle
        self.pem = authority.pem
        self._root = root
        self._options = options
        self._trust = ssl.create_default_context(cadata=authority.pem.decode())
        self.start()

    def _start(self) -> Program:
        at = ("--host", "127.0.0.1", "--port", str(self.port))
        tls = ("--cert", str(self.pair.certificate), "--key", str(self.pair.key))
        return Program(
            "holdall serve",
            [*_HOLDALL, "--project", self._root, "serve", *at, *tls, *self._options],
            log=self.folder / "serve.log",
        )

    def start(self) -> None:
        """Start it, again after a stop, and wait until it is ready.

        Raises RuntimeError if it ends instead.
        """
        self.program = self._start()
        try:
            wait_for("holdall serve", self._is_ready)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        return self.program.stop()

    def get(self, path: str) -> str:
        """Return the body of a GET, such as /metrics."""
        with urllib.request.urlopen(
            f"https://127.0.0.1:{self.port}{path}", context=self._trust, timeout=10
        ) as answer:
            body: bytes = answer.read()
            return body.decode()

    def certificate(self) -> bytes:
        """Return the certificate that it shows to new clients now."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with context.wrap_socket(socket.create_connection(("127.0.0.1", self.port))) as secured:
            found = secured.getpeercert(binary_form=True)
        assert found is not None
        return found

    def _is_ready(self) -> bool:
        if not self.program.is_running():
            raise RuntimeError(f"holdall serve has ended:\n{self.program.last_lines()}")
        try:
            self.get("/readyz")
        except OSError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Product:
    """A project and the server that serves it."""

    project: Project
    server: Server

    def create(self, api: Api, kind: str, *, storage: str = "") -> Resource:
        """Create the CRD of a kind as holdall makes it, with conversion and storage version."""
        crd = self.project.crds()[kind]
        crd["spec"]["conversion"] = conversion(self.server.url, self.server.bundle)
        for version in crd["spec"]["versions"]:
            version["storage"] = version["name"] == storage if storage else version["storage"]
        return create_crd(api, crd)

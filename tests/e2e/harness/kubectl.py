"""The real kubectl, without any configuration of the user's."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Kubectl:
    """kubectl for one API server. `config` is a kubeconfig; caches go to `home`."""

    program: Path
    config: Path
    home: Path

    def run(
        self, *arguments: str, given: Any = None, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, whatever comes of it; `given` is its standard input, JSON or text."""
        text = given if given is None or isinstance(given, str) else json.dumps(given)
        return subprocess.run(
            [self.program, f"--kubeconfig={self.config}", *arguments],
            input=text if text is not None else "",
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "HOME": str(self.home), **(environment or {})},
            check=False,
        )

    def __call__(self, *arguments: str, given: Any = None) -> str:
        """Run a command that must succeed, and return what it printed."""
        done = self.run(*arguments, given=given)
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}{done.stdout}"
        return done.stdout

    def json(self, *arguments: str) -> Any:
        """Run a command with `-o json` and return the parsed output."""
        return json.loads(self(*arguments, "-o", "json"))

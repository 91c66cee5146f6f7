"""One Spark and one Ray for the whole run, on two processors of this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.projects import THING_CONFIG, THING_FILES, build_project


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark; without Spark or Java the test is skipped."""
    reason = "there is no pyspark here; `make engines` installs it"
    sql = pytest.importorskip("pyspark.sql", reason=reason)
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("there is no Java here; `make engines` installs it where it can")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.master("local[2]")
    settings = {"ui.enabled": "false", "ui.showConsoleProgress": "false"}
    settings |= {"driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1"}
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """Ray, with its data; without it the test is skipped."""
    reason = "there is no Ray here; `make engines` installs it"
    module = pytest.importorskip("ray", reason=reason)
    data = pytest.importorskip("ray.data", reason=reason)
    module.init(
        num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1"
    )
    data.DataContext.get_current().enable_progress_bars = False
    yield module
    module.shutdown()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A project with hooks that only the driver can import."""
    kept = [*sys.path]
    files = {**THING_FILES, "hooks/__init__.py": '"""A package without hooks."""\n'}
    yield build_project(tmp_path / "elsewhere", THING_CONFIG, files)
    sys.path[:] = kept

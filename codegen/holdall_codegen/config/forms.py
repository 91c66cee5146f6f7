"""The types of texts in `holdall.yaml` that are in several tables."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from holdall_codegen.config import names
from holdall_codegen.config.tables import Form, Listed

KindName: TypeAlias = Annotated[str, Form(names.KIND, names.KIND_FORM)]
VersionName: TypeAlias = Annotated[str, Form(names.VERSION, names.VERSION_FORM)]
ListedVersion: TypeAlias = Annotated[VersionName, Listed()]
FilePattern: TypeAlias = Annotated[
    str, Form(names.SOURCE_PATTERN, "a path below the project's root with / between folders")
]

"""The inspection of a view: the description and the arguments of its tool.

Inspecting hundreds of views takes seconds, so a view is inspected when its tool is first listed,
described or called. The findings are kept in a file of the state folder, for all processes that
serve the site. Its name holds a digest of the site's code and settings, so that a new version of the
site is inspected anew. Some sites make fields from their database. So a file is used for a day.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec
from django.apps import apps
from django.conf import settings
from django.utils import translation
from rest_framework import VERSION as REST_VERSION

from django import VERSION
from penstock._version import __version__
from penstock.django.endpoints import Endpoint
from penstock.django.inputs import describe, inputs_of
from penstock.django.inputs.values import Inputs
from penstock.log import logger
from penstock.stores.urls import state_folder

_DAY: Final = 86_400
_ENDING: Final = ".tools"
# The settings of other packages that decide what an inspection finds.
_SETTINGS: Final = (
    "INSTALLED_APPS", "LANGUAGE_CODE", "PENSTOCK", "REST_FRAMEWORK", "ROOT_URLCONF",
    "SPECTACULAR_SETTINGS", "USE_I18N",
)  # fmt: skip


class Findings(msgspec.Struct, frozen=True):
    """The findings of one inspection."""

    description: str
    inputs: Inputs


_DECODER: Final = msgspec.msgpack.Decoder(dict[str, Findings])


class FindingsFile:
    """The findings of all views of a site, shared by the processes that serve it."""

    def __init__(self, file: Path | None = None) -> None:
        self._given = file
        self._lock = threading.Lock()
        self._unsaved = 0

    def get(self, key: str) -> Findings | None:
        return self._known.get(key)

    def put(self, key: str, found: Findings) -> None:
        with self._lock:
            self._known[key] = found
            self._unsaved += 1

    def save(self) -> None:
        """Write the findings to the file, if there are new ones. A site works without the file."""
        with self._lock:
            if not self._unsaved:
                return
            self._unsaved = 0
            written = msgspec.msgpack.encode(self._known)
        try:
            _replace(self._file, written)
        except OSError as error:
            logger().info("the findings about views are not kept for other processes: %s", error)

    @cached_property
    def _file(self) -> Path:
        return self._given or _file_of_this_site()

    @cached_property
    def _known(self) -> dict[str, Findings]:
        try:
            if self._file.stat().st_mtime < time.time() - _DAY:
                return {}
            return _DECODER.decode(self._file.read_bytes())
        except (OSError, msgspec.DecodeError, msgspec.ValidationError):
            return {}


class Inspection:
    """The inspection of one view, which takes place when its findings are first needed."""

    def __init__(
        self,
        tool: str,
        endpoint: Endpoint,
        file: FindingsFile,
        *,
        with_pagination: bool,
        urlconf: Any,
    ) -> None:
        self._tool = tool
        self._endpoint = endpoint
        self._file = file
        self._with_pagination = with_pagination
        self._urlconf = urlconf

    @property
    def description(self) -> str:
        return self._findings.description

    @property
    def inputs(self) -> Inputs:
        return self._findings.inputs

    @cached_property
    def _findings(self) -> Findings:
        # The name tells endpoints apart that have one path, apart from its converters.
        where = f"{self._endpoint.method} {self._endpoint.path}"
        key = f"{self._tool} {where} {self._with_pagination}"
        found = self._file.get(key)
        if found is None:
            found = self._inspected()
            self._file.put(key, found)
        return found

    def _inspected(self) -> Findings:
        """Inspect the view, in the site's language and not in that of the first caller."""
        with translation.override(settings.LANGUAGE_CODE):
            return Findings(
                describe(self._endpoint),
                inputs_of(
                    self._endpoint, with_pagination=self._with_pagination, urlconf=self._urlconf
                ),
            )


def _file_of_this_site() -> Path:
    """Return the file for this version of this site's code and settings."""
    site = hashlib.sha256(f"{settings.ROOT_URLCONF} {sys.prefix} {Path.cwd()}".encode())
    version = hashlib.sha256("\n".join(_version()).encode())
    name = f"{site.hexdigest()[:12]}-{version.hexdigest()[:20]}{_ENDING}"
    return state_folder() / "django" / name


def _version() -> Iterator[str]:
    """Yield everything on which the findings depend: packages, settings and source files."""
    yield f"{__version__} {VERSION} {REST_VERSION} {sys.version_info}"
    for name in _SETTINGS:
        yield f"{name} {getattr(settings, name, None)!r}"
    for folder in sorted({*_folders()}):
        yield from _sources(folder)


def _folders() -> Iterator[str]:
    yield from (config.path for config in apps.get_app_configs())
    project = find_spec(settings.ROOT_URLCONF.partition(".")[0])
    if project is not None and project.submodule_search_locations:
        yield from project.submodule_search_locations


def _sources(folder: str) -> Iterable[str]:
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if one not in ("__pycache__", "migrations", "static")]
        for name in files:
            if name.endswith(".py"):
                stat = os.stat(os.path.join(path, name))  # noqa: PTH116, PTH118 (thousands of files)
                found.append(f"{path}/{name} {stat.st_mtime_ns} {stat.st_size}")
    return sorted(found)


def _replace(file: Path, content: bytes) -> None:
    """Write a file at once, and delete the findings about other versions of the site."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = file.with_suffix(f".{os.getpid()}")
    partial.write_bytes(content)
    partial.replace(file)
    for other in file.parent.glob(f"{file.name.partition('-')[0]}-*{_ENDING}"):
        if other != file:
            other.unlink(missing_ok=True)

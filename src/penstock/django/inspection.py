"""The inspection of a view: the description and the arguments of its tool.

Inspecting hundreds of views takes seconds, so a view is inspected when its tool is first listed,
described or called. The findings are kept in a file of the state folder, for all processes that
serve the site. Its name holds a digest of the site's code and settings, so that a new version of the
site is inspected anew. Some sites make fields from their database. So findings are used for a day.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec
from django.apps import apps
from django.conf import settings
from django.urls import URLResolver, get_resolver
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
_ADDRESS: Final = re.compile(" at 0x[0-9a-fA-F]+")
# The settings of other packages that decide what an inspection finds.
_SETTINGS: Final = (
    "INSTALLED_APPS", "LANGUAGE_CODE", "PENSTOCK", "REST_FRAMEWORK", "ROOT_URLCONF",
    "SPECTACULAR_SETTINGS", "USE_I18N",
)  # fmt: skip


class Findings(msgspec.Struct, frozen=True):
    """The findings of one inspection."""

    description: str
    inputs: Inputs


class KeptFindings(msgspec.Struct, frozen=True):
    """The content of a file."""

    made: float  # the time of the oldest findings
    findings: dict[str, Findings]

    @property
    def is_old(self) -> bool:
        return self.made < time.time() - _DAY


_DECODER: Final = msgspec.msgpack.Decoder(KeptFindings)


class FindingsFile:
    """The findings of all views of a site, shared by the processes that serve it."""

    def __init__(self, file: Path | None = None) -> None:
        self._given = file
        self._views: set[type] = set()
        self._urlconf: Any = None
        self._lock = threading.Lock()
        self._unsaved = 0

    def depends_on(self, view: type, urlconf: Any) -> None:
        """Note a view whose code decides what is found, before anything is read."""
        self._views.add(view)
        self._urlconf = urlconf

    def get(self, key: str) -> Findings | None:
        return self._known.findings.get(key)

    def put(self, key: str, found: Findings) -> None:
        with self._lock:
            self._known.findings[key] = found
            self._unsaved += 1

    def save(self) -> None:
        """Write the findings to the file, if there are new ones. A site works without the file."""
        if not self._unsaved:
            return
        with self._lock:
            self._unsaved = 0
            try:
                self._write()
            except OSError as error:
                told = "the findings about views are not kept for other processes: %s"
                logger().info(told, error)

    def _write(self) -> None:
        """Write the findings, together with those that other processes have written since."""
        if self._known.is_old:
            return
        others = _read(self._file)
        made = min(self._known.made, others.made)
        merged = KeptFindings(made, {**others.findings, **self._known.findings})
        _replace(self._file, msgspec.msgpack.encode(merged))

    @cached_property
    def _file(self) -> Path:
        return self._given or _file_of_this_site(self._views, self._urlconf)

    @cached_property
    def _known(self) -> KeptFindings:
        return _read(self._file)


def _read(file: Path) -> KeptFindings:
    """Return the content of a file; nothing, made now, if it is missing, damaged or old."""
    try:
        kept = _DECODER.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        kept = KeptFindings(0, {})
    return KeptFindings(time.time(), {}) if kept.is_old else kept


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
        file.depends_on(endpoint.view_class, urlconf)
        self._tool = tool
        self._endpoint = endpoint
        self._file = file
        self._with_pagination = with_pagination
        self._urlconf = urlconf

    @cached_property
    def findings(self) -> Findings:
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


# -- the version of a site ---------------------------------------------------------------------


def _file_of_this_site(views: Iterable[type] = (), urlconf: Any = None) -> Path:
    """Return the file for this version of this site's code and settings."""
    site = hashlib.sha256(f"{settings.ROOT_URLCONF} {sys.prefix} {Path.cwd()}".encode())
    version = hashlib.sha256("\n".join(_version(views, urlconf)).encode())
    name = f"{site.hexdigest()[:12]}-{version.hexdigest()[:20]}{_ENDING}"
    return state_folder() / "django" / name


def _version(views: Iterable[type], urlconf: Any) -> Iterator[str]:
    """Yield everything on which the findings depend: packages, settings and source files."""
    yield f"{__version__} {VERSION} {REST_VERSION} {sys.version_info}"
    for name in _SETTINGS:
        yield f"{name} {_written(getattr(settings, name, None))}"
    files = {*_files_of_views(views), *_files_of_urls(get_resolver(urlconf))}
    for file in sorted(files):
        yield _stamp(file)
    packages = map(os.path.dirname, filter(_is_in_package, files))
    for folder in _outermost({*_folders(), *packages}):
        yield from _sources(folder)


def _written(value: Any) -> str:
    """Return a text for a setting, which is the same in each process: sets have no order there, and
    objects another address."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_written(item)}' for key, item in value.items())}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_written, value)))}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    return _ADDRESS.sub("", repr(value))


def _folders() -> Iterator[str]:
    yield from (config.path for config in apps.get_app_configs())
    project = find_spec(settings.ROOT_URLCONF.partition(".")[0])
    if project is not None and project.submodule_search_locations:
        yield from project.submodule_search_locations


def _outermost(folders: Iterable[str]) -> list[str]:
    """Return the folders that are in no other of them, so that no file is looked at twice."""
    found: list[str] = []
    for folder in sorted(folders):
        if not folder.startswith(tuple(f"{one}{os.sep}" for one in found)):
            found.append(folder)
    return found


def _files_of_views(views: Iterable[type]) -> Iterator[str]:
    """Yield the source files of views, and of the classes that they extend."""
    names = {base.__module__ for view in views for base in view.__mro__}
    yield from filter(None, (_file_of(sys.modules.get(name)) for name in names))


def _files_of_urls(resolver: URLResolver) -> Iterator[str]:
    """Yield the source files of a URLconf, and of those that it includes."""
    file = _file_of(resolver.urlconf_module)
    if file:
        yield file
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _files_of_urls(pattern)


def _file_of(module: Any) -> str:
    return getattr(module, "__file__", None) or ""


def _is_in_package(file: str) -> bool:
    """Return whether a file is in a package of the site, whose other files may matter too."""
    folder = os.path.dirname(file)  # noqa: PTH120 (as below)
    is_installed = "site-packages" in folder or "dist-packages" in folder
    return not is_installed and os.path.exists(os.path.join(folder, "__init__.py"))  # noqa: PTH110, PTH118 (as below)


def _sources(folder: str) -> Iterable[str]:
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if one not in ("__pycache__", "migrations", "static")]
        found += [_stamp(f"{path}/{name}") for name in files if name.endswith(".py")]
    return sorted(found)


def _stamp(file: str) -> str:
    """Return a text that changes with a file. There may be thousands of files."""
    try:
        stat = os.stat(file)  # noqa: PTH116 (it is faster)
    except OSError:
        return file
    return f"{file} {stat.st_mtime_ns} {stat.st_size}"


def _replace(file: Path, content: bytes) -> None:
    """Write a file at once, and delete the findings about other versions of the site."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(content)
        Path(partial).replace(file)
    except OSError:
        Path(partial).unlink(missing_ok=True)
        raise
    for other in file.parent.glob(f"{file.name.partition('-')[0]}-*{_ENDING}"):
        if other != file:
            other.unlink(missing_ok=True)

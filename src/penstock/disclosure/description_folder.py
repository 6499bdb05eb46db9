"""Descriptions in a folder, laid over a server's own; changed files are noticed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from penstock.core.model.recent import Recent
from penstock.disclosure.catalogue import Catalogue
from penstock.errors import InvalidSetting
from penstock.log import logger

_KEPT: Final = 8

Signature = tuple[tuple[str, int, int], ...]


class DescriptionFolder:
    """Read when it is first used, and again whenever a file in it has changed."""

    def __init__(self, path: str) -> None:
        self._path = Path(path).expanduser()
        if not self._path.is_dir():
            raise InvalidSetting("descriptions", path, "there is no such folder.")
        self._signature: Signature | None = None
        self._tools = Catalogue([])
        self._laid: Recent[Catalogue, Catalogue] = Recent(_KEPT)
        self._lock = threading.Lock()

    def laid_over(self, catalogue: Catalogue) -> Catalogue:
        """The same object as long as neither has changed, so that what is made of it can be kept."""
        with self._lock:
            self._read_again()
            return self._laid.get_or_make(catalogue, lambda: self._tools.laid_over(catalogue))

    def _read_again(self) -> None:
        try:
            signature = self._signed()
            if signature == self._signature:
                return
            self._tools = Catalogue.from_folder(self._path)
        except (OSError, InvalidSetting) as error:
            logger().warning("the folder of descriptions cannot be read: %s", type(error).__name__)
            return
        self._signature = signature
        self._laid.clear()

    def _signed(self) -> Signature:
        """What changes when a file does."""
        stats = [(file.name, file.stat()) for file in sorted(self._path.glob("*.json"))]
        return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)

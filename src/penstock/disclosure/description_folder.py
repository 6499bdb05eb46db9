"""A folder of descriptions that override a server's own."""

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
    """A folder that is read at first use, and again whenever a file in it has changed."""

    def __init__(self, path: str) -> None:
        self._path = Path(path).expanduser()
        if not self._path.is_dir():
            raise InvalidSetting("descriptions", path, "there is no such folder.")
        self._signature: Signature | None = None
        self._tools = Catalogue([])
        self._laid: Recent[Catalogue, Catalogue] = Recent(_KEPT)
        self._lock = threading.Lock()

    def laid_over(self, catalogue: Catalogue) -> Catalogue:
        """Return the catalogue with the folder's descriptions. The result is the same object until
        one of them changes, so that its lists can be cached."""
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
            logger().warning("cannot read the folder of descriptions: %s", type(error).__name__)
            return
        self._signature = signature
        self._laid.clear()

    def _signed(self) -> Signature:
        """Return the files' names, times and sizes, to notice changes."""
        stats = [(file.name, file.stat()) for file in sorted(self._path.glob("*.json"))]
        return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)

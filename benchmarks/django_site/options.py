"""The options of one run of the site, which the environment carries to the site's settings."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import Final

_VARIABLE: Final = "MEASURED_SITE"
ORDINARY_CACHE: Final = "locmem.LocMemCache"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one run."""

    database: str
    gateway: str = "plain"  # or "penstock", "frisian", "drf"
    cache: str = ORDINARY_CACHE  # a class of Django's
    bare: bool = False  # a ViewSet's `list` has a bare `@mcp_heavy`, which one gateway refuses
    grouped: bool = False  # one tool bundles those of the ViewSets, which one gateway offers
    writing: bool = False  # with the tools that write
    many: bool = False  # 1,800 endpoints instead of the devices

    @classmethod
    def from_environment(cls) -> Options:
        return cls(**json.loads(os.environ[_VARIABLE]))

    def environment(self) -> dict[str, str]:
        """Return this process's environment with these options and the settings that read them."""
        return {
            **os.environ,
            _VARIABLE: json.dumps(asdict(self)),
            "DJANGO_SETTINGS_MODULE": "benchmarks.django_site.settings",
        }

"""What a run of the site is like. It reaches the site's settings through the environment."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import Final

_VARIABLE: Final = "MEASURED_SITE"
ORDINARY_CACHE: Final = "locmem.LocMemCache"


@dataclass(frozen=True, slots=True)
class Options:
    """`gateway` is "plain", "penstock", "frisian" or "drf"; `cache` is a class of Django's.

    `bare`: with a ViewSet whose `list` has a bare `@mcp_heavy`, which one of them does not take.
    `grouped`: with the tools of the ViewSets bundled into one, which one of them offers.
    `writing`: with the tools that write. `many`: with 1,800 endpoints instead of the devices.
    """

    database: str
    gateway: str = "plain"
    cache: str = ORDINARY_CACHE
    bare: bool = False
    grouped: bool = False
    writing: bool = False
    many: bool = False

    @classmethod
    def from_environment(cls) -> Options:
        return cls(**json.loads(os.environ[_VARIABLE]))

    def environment(self) -> dict[str, str]:
        """This process's, with these options and the settings that read them."""
        return {
            **os.environ,
            _VARIABLE: json.dumps(asdict(self)),
            "DJANGO_SETTINGS_MODULE": "benchmarks.django_site.settings",
        }

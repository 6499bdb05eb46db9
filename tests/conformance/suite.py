"""The official conformance suite, run against a URL: what it found, check by check.

The suite writes a folder for each scenario, with a `checks.json` of what it looked at.
"""

import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from node_runtime import node, package

# A run takes seconds. A relay that hangs makes every scenario wait for its own timeout.
PATIENCE = 150


@dataclass(frozen=True)
class RequirementSet:
    """What a revision of the protocol asks of a server, as one version of the suite has it."""

    name: str
    package: str
    options: tuple[str, ...] = ()
    over_stdio: bool = True


OLD_SUITE = "@modelcontextprotocol/conformance"
NEW_SUITE = "conformance-2026-07-28"

NEW_LEGACY = ("--requirements", "2025-11-25")
NEW_MODERN = ("--requirements", "2026-07-28")

# For 2025-11-25 the old one is the released one. The new one adds the end of sessions and the
# resuming of streams: matters of HTTP, so a second run over stdio, a process a session, is spared.
SETS = (
    RequirementSet("2025-11-25 by suite 0.1", OLD_SUITE),
    RequirementSet("2025-11-25 by suite 0.2", NEW_SUITE, NEW_LEGACY, over_stdio=False),
    RequirementSet("2026-07-28 by suite 0.2", NEW_SUITE, NEW_MODERN),
)


@dataclass(frozen=True)
class Finding:
    """What became of a check. Only SUCCESS is a pass: a check that no longer applies was lost."""

    status: str
    message: str = ""

    # As the suite does it: of checks that occur more than once, the worst occurrence counts.
    RANKS: ClassVar = ("SUCCESS", "INFO", "SKIPPED", "WARNING", "FAILURE")

    def __str__(self) -> str:
        return f"{self.status} {self.message}"

    def worse_of(self, other: "Finding") -> "Finding":
        return max(self, other, key=lambda finding: self.RANKS.index(finding.status))


Findings = Mapping[str, Finding]


def examine(url: str, requirements: RequirementSet) -> Findings:
    """Runs the suite and reads what it wrote; if it did not come to its end, as far as it came."""
    program = package(f"{requirements.package}/dist/index.js")
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        command = [node(), program, "server", "--url", url, *requirements.options, "-o", folder]
        with tempfile.TemporaryFile("w+") as output:
            with suppress(subprocess.TimeoutExpired):
                # Its exit code says whether every check passed, which is not what is asked here.
                subprocess.run(command, stdout=output, stderr=output, timeout=PATIENCE, check=False)
            findings = _read(Path(folder))
            output.seek(0)
            assert findings, f"The suite found nothing:\n{output.read()}"
    return findings


def _read(folder: Path) -> Findings:
    findings: dict[str, Finding] = {}
    for written in sorted(folder.glob("server-*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\dZ-]+$", "", written.parent.name)
        for check in json.loads(written.read_bytes()):
            key = f"{scenario}/{check['id']}/{check['name']}"
            found = Finding(check["status"], check.get("errorMessage", ""))
            findings[key] = found.worse_of(findings.get(key, found))
    return findings


def passing(findings: Findings) -> set[str]:
    return {key for key, finding in findings.items() if finding.status == "SUCCESS"}


def failing(findings: Findings) -> set[str]:
    bad = ("WARNING", "FAILURE")
    return {key for key, finding in findings.items() if finding.status in bad}


def counts(findings: Findings) -> str:
    """How many of each, without the remarks that the suite notes down as checks."""
    of = Counter(finding.status for finding in findings.values())
    words = {"SUCCESS": "passed", "FAILURE": "failed", "WARNING": "warned", "SKIPPED": "skipped"}
    return ", ".join(f"{of[status]} {word}" for status, word in words.items())

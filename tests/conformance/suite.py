"""The official conformance suite, run against a URL, and its findings.

The suite writes a folder for each scenario, with its checks in `checks.json`.
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

# A run takes seconds, and minutes on a busy machine. If a relay hangs, every scenario times out.
PATIENCE = 600


@dataclass(frozen=True)
class RequirementSet:
    """The requirements of one revision of the protocol, in one version of the suite."""

    name: str
    package: str
    options: tuple[str, ...] = ()
    over_stdio: bool = True


OLD_SUITE = "@modelcontextprotocol/conformance"
NEW_SUITE = "conformance-2026-07-28"

NEW_LEGACY = ("--requirements", "2025-11-25")
NEW_MODERN = ("--requirements", "2026-07-28")

# For 2025-11-25, the old suite is the released one. The new suite adds the end of sessions and the
# resuming of streams. Both concern only HTTP, so it does not run over stdio a second time.
SETS = (
    RequirementSet("2025-11-25 by suite 0.1", OLD_SUITE),
    RequirementSet("2025-11-25 by suite 0.2", NEW_SUITE, NEW_LEGACY, over_stdio=False),
    RequirementSet("2026-07-28 by suite 0.2", NEW_SUITE, NEW_MODERN),
)


@dataclass(frozen=True)
class Finding:
    """The outcome of a check. Only SUCCESS is a pass: a check that no longer applies is a loss."""

    status: str
    message: str = ""

    # If a check occurs more than once, the worst outcome counts, as in the suite itself.
    RANKS: ClassVar = ("SUCCESS", "INFO", "SKIPPED", "WARNING", "FAILURE")

    def __str__(self) -> str:
        return f"{self.status} {self.message}"

    def worse_of(self, other: "Finding") -> "Finding":
        return max(self, other, key=lambda finding: self.RANKS.index(finding.status))


Findings = Mapping[str, Finding]


def examine(url: str, requirements: RequirementSet) -> Findings:
    """Run the suite, and return its findings, even if it did not finish."""
    program = package(f"{requirements.package}/dist/index.js")
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        command = [node(), program, "server", "--url", url, *requirements.options, "-o", folder]
        with tempfile.TemporaryFile("w+") as output:
            with suppress(subprocess.TimeoutExpired):
                # The exit code says whether every check passed, which this function does not ask.
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
    """Return the number of each outcome, without the remarks that the suite lists as checks."""
    of = Counter(finding.status for finding in findings.values())
    words = {"SUCCESS": "passed", "FAILURE": "failed", "WARNING": "warned", "SKIPPED": "skipped"}
    return ", ".join(f"{of[status]} {word}" for status, word in words.items())

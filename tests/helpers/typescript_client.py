"""The official TypeScript client as a function from steps to outcomes (`node/client.mjs`)."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from node_runtime import FOLDER, node

PATIENCE = 180  # seconds, for a busy machine


def run_steps(
    target: str | Sequence[str],
    steps: Sequence[Mapping[str, Any]],
    era: Literal["legacy", "modern", "auto"] = "auto",
) -> list[dict[str, Any]]:
    """Return the outcome of each step: `{"result": …}`, or `{"error": …}`.

    The target is a URL or a command; a step is `{"method": "tools/call", "params": {…}}`.
    """
    where = ["--url", target] if isinstance(target, str) else ["--", *target]
    finished = subprocess.run(
        [node(), str(FOLDER / "client.mjs"), "--era", era, *where],
        input=json.dumps(steps),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line) for line in finished.stdout.splitlines()]

"""python -m inside SITE TASK FILE: start Django as the site does, run a task, write its result."""

import json
import sys
from importlib import import_module
from pathlib import Path

TASKS = {
    "fill": "{site}.fill:fill",
    "compare": "inside.comparing:compare",
    "write": "inside.writing:write",
    **{task: f"inside.measuring:{task}" for task in ("alone", "cold", "warm", "calls")},
}


def main(site: str, task: str, file: str) -> None:
    import_module(site).start()
    module, _, function = TASKS[task].format(site=site).partition(":")
    run = getattr(import_module(module), function)
    found = run() if task == "fill" else run(import_module(f"{site}.about"))
    Path(file).write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

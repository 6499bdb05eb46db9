"""The picture in docs/explanation/architecture.md, drawn from the imports.

Run this file to redraw the picture: python tests/helpers/architecture_page.py
"""

import re
from pathlib import Path

from import_graph import MODULES, RANKS, entry, imported

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "architecture.md"
# The version and `python -m penstock` say nothing about the architecture.
LEFT_OUT = ("_version", "__main__")


def picture():
    """Return the picture. Each line is a folder, and the folders that it imports from."""
    arrows = reduced(folder_imports())
    core = {name for name in arrows if name.startswith("core.")}
    outside = {
        name: targets if name not in core else targets - core for name, targets in arrows.items()
    }
    within = {name: arrows[name] & core for name in core}
    drawn = ["flowchart TD", *lines(outside), "  subgraph core", *lines(within, "    "), "  end"]
    return "```mermaid\n" + "\n".join(drawn) + "\n```\n"


def lines(arrows, indent="  "):
    for name in highest_first(arrows):
        if arrows[name]:
            targets = " & ".join(map(short, highest_first(arrows[name])))
            yield f"{indent}{short(name)} --> {targets}"


def highest_first(names):
    return sorted(names, key=RANKS.get, reverse=True)


def short(name):
    return name.removeprefix("core.")


def folder_imports():
    """Return every folder with the other folders that it imports from."""
    graph = {name: set() for name in RANKS if name not in LEFT_OUT}
    for module, path in MODULES.items():
        own = entry(module)
        if own in graph:
            graph[own] |= {entry(target) for target in imported(path)} - {own, *LEFT_OUT}
    return graph


def reduced(graph):
    """Leave out the arrows that follow from others. No folder may lead back to itself."""
    reached = {}
    for name in sorted(graph, key=RANKS.get):
        reached[name] = graph[name].union(*(reached[target] for target in graph[name]))
    return {
        name: {target for target in targets if not any(target in reached[via] for via in targets)}
        for name, targets in graph.items()
    }


if __name__ == "__main__":
    told = PAGE.read_text("utf-8")
    drawn = re.compile(r"```mermaid\n.*?^```\n", re.DOTALL | re.MULTILINE)
    PAGE.write_text(drawn.sub(lambda _: picture(), told, count=1), "utf-8")

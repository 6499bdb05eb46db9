"""The folders of the package, and the modules that import one another."""

import ast
from pathlib import Path

import penstock

PACKAGE = Path(penstock.__file__).parent

# A module imports only from its own folder and from those above it in this list.
ORDER = """
_version
errors
log
core.json
core.model
core.budget
settings
core.results
core.views
core.protocol
core.browsing
stores
worker
gate
shaping
widgets
explorer
disclosure
programs
wire
engine
figures
hub
adapters
django
relay
cli
__main__
testing
"""
RANKS = {name: rank for rank, name in enumerate(ORDER.split())}


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


MODULES = {name: path for name, path in modules() if name != "__init__"}


def imported(path):
    """Yield the modules of the package that a module imports, also in functions and for types."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: relative import"
            continue
        yield from (
            name.removeprefix("penstock.") for name in names if name.startswith("penstock.")
        )


def entry(name):
    """Return the longest prefix of a name that is in the order."""
    parts = name.split(".")
    prefixes = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if prefix in RANKS), None)

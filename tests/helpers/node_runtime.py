"""Node and its packages, as `make test` installs them in `tests/node`."""

import shutil
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "node"
MODULES = FOLDER / "node_modules"


def node() -> str:
    """Return the path of the pinned Node. Skip the test if npm is not installed."""
    if not (MODULES / ".ready").exists():
        if shutil.which("npm") is None:
            pytest.skip("needs Node, and npm is not installed")
        pytest.fail("The Node packages are not installed yet: `make test` does it", pytrace=False)
    return str(MODULES / ".bin" / "node")


def package(path: str) -> str:
    """Return the path of a package's file, such as `@scope/name/dist/index.js`."""
    return str(MODULES / path)

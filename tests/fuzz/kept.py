"""The kept corpus: inputs that once broke something, or that stand for a class of inputs.

Each file is named by what it is, and is replayed by a plain test. In `messages` a line starts with
"> " if the client sends it, and with "< " if upstream does. Elsewhere a file is one input.
"""

from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "corpus"


def every_kept(kind: str) -> Any:
    """Parametrize a test with the name and the bytes of every kept input of a kind."""
    files = sorted((FOLDER / kind).iterdir())
    assert files, kind
    return pytest.mark.parametrize(
        "kept", [pytest.param(file.read_bytes(), id=file.name) for file in files]
    )

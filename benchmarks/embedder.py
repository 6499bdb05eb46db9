"""python embedder.py: the text that is nearest to each request, by an embedding model.

Reads JSON from stdin, [{"texts": [...], "requests": [...]}, ...], and writes the position of the
nearest text for each request, list by list. Runs where the model is installed, and nothing of this
project; without a network, because the model's weights come with its package.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# mypy runs where neither is installed.
import wordllama  # type: ignore[import-not-found]


def main() -> None:
    # The package looks for its tokenizer beside where it keeps it, but finds it as a cache.
    model = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
    print(json.dumps([nearest(model, **task) for task in json.load(sys.stdin)]))


def nearest(model: Any, texts: list[str], requests: list[str]) -> list[int]:
    known = model.embed(texts, norm=True)
    asked = model.embed(requests, norm=True)
    return [int(position) for position in (asked @ known.T).argmax(axis=1)]


if __name__ == "__main__":
    main()

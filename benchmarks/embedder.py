"""python embedder.py: find the text that is nearest to each request, by an embedding model.

Reads JSON from stdin, [{"texts": [...], "requests": [...]}, ...], and writes the index of the
nearest text for each request, list by list. Runs in the model's environment, which has nothing of
this project, and without a network: the model's weights come with its package.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# mypy runs in an environment without these packages.
import wordllama  # type: ignore[import-not-found]


def main() -> None:
    # The package looks for its tokenizer in a wrong folder, but finds it as a cache.
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

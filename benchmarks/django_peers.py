"""python -m benchmarks.django_peers [--write]: the same calls on each gateway, and what came back.

Prints the table of docs/explanation/django-peers.md, or writes it there. Every cell is made from a
reply over HTTP.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks import peers
from benchmarks.django_questions import CONTENDERS, QUESTIONS, Contender
from benchmarks.django_site.options import Options
from benchmarks.django_sites import DoesNotStart, Site, running, seeded
from benchmarks.django_telling import shortened

PAGE: Final = Path(__file__).parents[1] / "docs" / "explanation" / "django-peers.md"
BEGIN, END = "<!-- begin: made by benchmarks.django_peers -->", "<!-- end -->"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.django_peers")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    options = parser.parse_args()
    peers.install()
    with TemporaryDirectory() as folder:
        table = as_markdown(asked_of_all(seeded(Path(folder))))
    if options.write:
        PAGE.write_text(put_between(PAGE.read_text("utf-8"), table), encoding="utf-8")
    print(table)
    return 0


def asked_of_all(database: Path) -> list[list[str]]:
    """Return the cells of each row, the question first."""
    columns = [list(_asked(contender, database)) for contender in CONTENDERS]
    return [[question.what, *cells] for question, *cells in zip(QUESTIONS, *columns, strict=True)]


def _asked(contender: Contender, database: Path) -> Iterator[str]:
    sites: dict[tuple[tuple[str, Any], ...], Site | str] = {}
    with ExitStack() as stack:
        for question in QUESTIONS:
            wanted = tuple(question.options.items())
            if wanted not in sites:
                sites[wanted] = _started(contender, database, question.options, stack)
            site = sites[wanted]
            yield question.ask(contender, site) if isinstance(site, Site) else site
            print(f"[{contender.name}] {question.what}", file=sys.stderr, flush=True)


def _started(
    contender: Contender, database: Path, chosen: Mapping[str, Any], stack: ExitStack
) -> Site | str:
    """Return the site, or the reason why it does not start."""
    own = {"gateway": contender.gateway, "grouped": bool(contender.group)}
    options = Options(str(database), **{**own, **chosen})
    try:
        return stack.enter_context(running(options, contender.python, contender.module))
    except DoesNotStart as error:
        return f"the site does not start: {shortened(str(error))}"


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    return as_table([["", *(contender.name for contender in CONTENDERS)], *rows])


def as_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, with the headings in the first row."""
    headings, *others = rows
    lines = [headings, ["---"] * len(headings), *others]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def put_between(page: str, table: str, begin: str = BEGIN) -> str:
    """Return the page with this table in the place that is marked for it."""
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(END)}", re.DOTALL)
    made, count = pattern.subn(lambda _: f"{begin}\n\n{table}\n\n{END}", page)
    if count != 1:
        raise ValueError(f"{PAGE.name} has no place for the table: put {begin} and {END} there")
    return made


if __name__ == "__main__":
    sys.exit(main())

"""An audit as one HTML file, for light and dark mode. It has no scripts and loads nothing.

People send such files around. So the page names the server as the server names itself. It does not
show the command that started the server, which may hold secrets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from penstock._version import __version__
from penstock.cli.auditing import plots, wording
from penstock.cli.auditing.costs import PARTS, Audit
from penstock.cli.auditing.plots import PART_NAMES, safe

_STYLE: Final = """
:root { color-scheme: light dark; --text: #1d2328; --page: #ffffff; --faint: #5b6670; --rule: #d5dbe0;
  --description: #0067a5; --input_schema: #c77700; --output_schema: #00875f; --rest: #8a939b;
  --raw: #8a939b; --full: #6f7983; --short: #7a4fa3; --signatures: #a3560f; --brief: #0067a5; --index: #00875f; --programs: #8c6d00; --limit: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6eaed; --page: #14181b; --faint: #a2adb6;
  --rule: #343c43; --description: #58b4ec; --input_schema: #f0a83c; --output_schema: #45c99b;
  --rest: #79838c; --raw: #79838c; --full: #97a1aa; --short: #bb98e0; --signatures: #e8a15e; --brief: #58b4ec; --index: #45c99b; --programs: #d9b93b;
  --limit: #ff8a80; } }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
p, li { max-width: 46rem; } .faint, figcaption { color: var(--faint); font-size: .9rem; }
figure { margin: 1rem 0; } svg[role=img] { width: 100%; height: auto; }
text { fill: var(--text); font: 13px system-ui, sans-serif; } text.end { text-anchor: end; }
text { paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
thead th { white-space: nowrap; vertical-align: bottom; } text.more { fill: var(--faint); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; }
th:first-child, td:first-child { text-align: left; } tbody th { font-weight: 400; }
tr.chosen th, tr.chosen td { font-weight: 700; } td { font-variant-numeric: tabular-nums; }
.axis { fill: none; stroke: var(--faint); } .limit { stroke: var(--limit); stroke-dasharray: 4 3; }
.line { fill: none !important; stroke-width: 2; }
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def page(audit: Audit) -> str:
    title = f"{safe(audit.title)}: what its tools cost"
    parts = (_opening, _forms, _break_even, _tools) if audit.tools else (_opening,)
    body = "\n".join(line for part in parts for line in part(audit))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}{_kinds()}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n"
        f'<footer class="faint">penstock audit, version {safe(__version__)}</footer>\n'
        "</body>\n</html>\n"
    )


def _kinds() -> str:
    """Return the styles that give each part and each form a colour."""
    kinds = {f"p-{part}": part for part in PARTS}
    kinds |= {
        f"f-{form}": form
        for form in ("raw", "full", "short", "signatures", "brief", "index", "programs")
    }
    return "\n".join(
        f".{kind} {{ fill: var(--{colour}); stroke: var(--{colour}); stroke-width: 0; }}"
        f".line.{kind} {{ stroke-width: 2; }}"
        for kind, colour in kinds.items()
    )


def _opening(audit: Audit) -> Iterable[str]:
    yield f"<h1>{safe(wording.headline(audit))}</h1>"
    notes = [wording.left_out(audit)]
    if audit.tools:
        yield f"<p>{safe(wording.choice(audit))}</p>"
        notes = [wording.how_counted(audit), *notes]
    if any(notes):
        yield f'<p class="faint">{safe(" ".join(filter(None, notes)))}</p>'


def _forms(audit: Audit) -> Iterable[str]:
    heads = ("form", "tools", "tokens", "saved", "saved, %")
    rows = [("raw", str(len(audit.tools)), f"{audit.raw:,}", "", "")]
    rows += [
        (
            wording.form_name(cost),
            str(cost.tools),
            f"{cost.tokens:,}",
            f"{cost.saved:,}",
            f"{cost.percent:.1f}",
        )
        for cost in (audit.auto, *audit.forms)
    ]
    limit = f"The dashed line is the list budget, {audit.list_budget}."
    is_drawn = audit.budget_tokens is not None
    yield "<h2>The list in each form</h2>"
    yield _figure(plots.form_bars(audit), limit if is_drawn else "")
    yield _table(
        "Tokens of the list in each form", heads, rows, chosen=wording.form_name(audit.auto)
    )


def _break_even(audit: Audit) -> Iterable[str]:
    drawn = plots.growth_lines(audit)
    if not drawn:
        return
    sentences = [wording.break_even(cost) for cost in audit.forms if cost.form != "full"]
    yield "<h2>When a form stops saving</h2>"
    yield f"<p>{safe(wording.description_sizes(audit))}</p>"
    yield f"<ul>{''.join(f'<li>{safe(sentence)}</li>' for sentence in sentences)}</ul>"
    yield _figure(drawn, "Tokens by the number of full descriptions fetched, largest first.")


def _tools(audit: Audit) -> Iterable[str]:
    yield "<h2>Tool by tool</h2>"
    heads = ("tool", "tokens", *PART_NAMES.values(), "full description")
    rows = [
        (
            tool.name,
            *(f"{n:,}" for n in (tool.tokens, *(tool.parts[part] for part in PARTS))),
            f"{tool.full_description:,}",
        )
        for tool in audit.tools
    ]
    yield plots.legend()
    yield _figure(plots.tool_bars(audit), "")
    yield _table("Tokens of each tool", heads, rows)


def _figure(drawn: str, caption: str) -> str:
    told = f"<figcaption>{safe(caption)}</figcaption>" if caption else ""
    return f"<figure>{drawn}{told}</figure>"


def _table(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, chosen: str = ""
) -> str:
    head = "".join(f'<th scope="col">{safe(name)}</th>' for name in heads)
    body = "".join(_row(row, is_chosen=bool(chosen) and row[0] == chosen) for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{safe(caption)}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(cells: Sequence[str], *, is_chosen: bool) -> str:
    first, *others = cells
    numbers = "".join(f"<td>{safe(cell)}</td>" for cell in others)
    mark = ' class="chosen"' if is_chosen else ""
    return f'<tr{mark}><th scope="row">{safe(first)}</th>{numbers}</tr>'

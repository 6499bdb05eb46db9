"""The way to put a stored result together again from replies alone."""

from collections.abc import Iterator
from typing import Any

from agent import Agent
from exactly import Number, Pairs, exactly, render

from penstock.core.model.reply import Reply
from penstock.core.results.document import read_json
from penstock.core.views.paths import TEXT_STEP

Page = dict[str, Any]


def pages(agent: Agent, token: str, **fields: Any) -> Iterator[Page]:
    """Yield the requested page, and all that `next` leads to. A whole answer has no `next`."""
    page = read_page(agent, token, **fields)
    yield page
    while page.get("next") is not None:
        assert page["has_more"] is True
        page = read_page(agent, page["next"])
        yield page
    assert page.get("has_more", False) is False


def read_page(agent: Agent, token: str, **fields: Any) -> Page:
    reply = agent.read(token, **fields)
    assert not reply.is_error, (fields, reply.text)
    page = exactly(reply.text)
    assert isinstance(page, Pairs)
    assert len(set(page.names)) == len(page.names)
    shown = dict(page.entries)
    return {**shown, "items": _as_objects(shown)} if "rows" in shown else shown


def _as_objects(page: Page) -> list[Any]:
    """Return the rows of a table as objects. A row that is an object already is a stub."""
    assert "items" not in page
    for row in page["rows"]:
        assert isinstance(row, list) or stub_path(row) is not None
    return [
        Pairs(tuple(zip(page["columns"], row, strict=True))) if isinstance(row, list) else row
        for row in page["rows"]
    ]


def compare(agent: Agent, token: str, path: str, original: Any) -> None:
    """Assert that the value at `path`, put together from pages, is exactly `original`."""
    if isinstance(original, list):
        _compare_rows(agent, token, path, original)
    elif isinstance(original, Pairs):
        _compare_dict(agent, token, path, original)
    elif isinstance(original, str) and not isinstance(original, Number):
        # Without the step to the text, a text that happens to hold data is shown as the data.
        assert read_text(agent, token, path + TEXT_STEP) == original
    else:
        assert _read_literal(agent, token, path) == render(original)


def _read_literal(agent: Agent, token: str, path: str) -> str:
    """Return a number or another literal. It is one item, or if over the budget comes in windows."""
    first = next(iter(pages(agent, token, mode="paginated", **_at(path))))
    return read_text(agent, token, path) if "window" in first else render(first["items"][0])


def _at(path: str) -> dict[str, str]:
    return {"path": path} if path else {}


def read_text(agent: Agent, token: str, path: str) -> str:
    """Return a text: windows of a line joined directly, lines joined by a newline."""
    lines: list[str] = []
    unfinished = False
    for page in pages(agent, token, mode="paginated", **_at(path)):
        window = dict(page["window"].entries) if "window" in page else None
        if window is not None:
            (text,) = page["items"]
            assert len(text) == int(window["to"]) - int(window["from"])
            assert len(text) > 0 or window["of"] == "0"
            assert int(window["from"]) == (len(lines[-1]) if unfinished else 0)
            if unfinished:
                lines[-1] += text
            else:
                lines.append(text)
            assert int(window["line"]) == len(lines)
            unfinished = window["to"] != window["of"]
        else:
            assert not unfinished
            lines += page["items"]
    assert not unfinished
    return "\n".join(lines)


def _compare_rows(agent: Agent, token: str, path: str, original: list[Any]) -> None:
    row = 0
    for page in pages(agent, token, mode="paginated", **_at(path)):
        assert page["total"] == str(len(original))
        for item in page["items"]:
            _compare_item(agent, _root(page, token), item, original[row])
            row += 1
    assert row == len(original)


def compare_first_page(agent: Agent, reply: Reply, original: list[Any]) -> None:
    """Compare the first page of a live list, and all that its `next` leads to, with `original`."""
    page = dict(exactly(reply.text).entries)
    token, row = str(page["continuation_token"]), 0
    assert page["count"] == str(len(original))
    for item in page["results"]:
        _compare_item(agent, token, item, original[row])
        row += 1
    for after in pages(agent, page["next"]) if page["next"] is not None else ():
        for item in after["items"]:
            _compare_item(agent, _root(after, token), item, original[row])
            row += 1
    assert row == len(original)


def _root(page: Page, token: str) -> str:
    """Return the token that the paths of a page start from."""
    return str(page["continuation_token"]) if "paths_from" in page else token


def _compare_item(agent: Agent, token: str, item: Any, original: Any) -> None:
    stub = stub_path(item)
    if stub is None:
        assert item == original
    else:
        compare(agent, token, stub, original)


def stub_path(item: Any) -> str | None:
    """Return the path of a row that was too large, or None for any other row."""
    if isinstance(item, Pairs) and "$path" in item.names:
        assert "$size" in item.names
        return str(item.last("$path"))
    return None


def _compare_dict(agent: Agent, token: str, path: str, original: Pairs) -> None:
    document = read_json(render(original, ascii_only=agent.ascii_only).encode())
    if document.list_path:
        (rows,) = (value for _, value in original.entries if isinstance(value, list))
        _compare_rows(agent, token, path, rows)
        _compare_beside(agent, token, path, original)
    else:
        _compare_entries(agent, token, path, original)


def _compare_beside(agent: Agent, token: str, path: str, original: Pairs) -> None:
    """Compare the other keys of a dict with one list, each by its place."""
    for number, (name, value) in enumerate(original.entries):
        compare(agent, token, f"{path}/~#{number}/key", name)
        if not isinstance(value, list):
            compare(agent, token, f"{path}/~#{number}/value", value)


def _compare_entries(agent: Agent, token: str, path: str, original: Pairs) -> None:
    row = 0
    for page in pages(agent, token, mode="paginated", **_at(path)):
        assert page["total"] == str(len(original.entries))
        for item in page["items"]:
            _compare_entry(agent, _root(page, token), item, *original.entries[row])
            row += 1
    assert row == len(original.entries)


def _compare_entry(agent: Agent, token: str, item: Any, name: str, value: Any) -> None:
    assert isinstance(item, Pairs)
    if "key" in item.names:
        assert item.last("key") == name
        _compare_item(agent, token, item.last("value"), value)
        return
    stub = stub_path(item)
    assert stub is not None
    assert stub.endswith("/value")
    compare(agent, token, stub, value)
    compare(agent, token, stub.removesuffix("value") + "key", name)

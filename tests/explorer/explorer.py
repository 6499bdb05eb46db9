"""The result explorer as a user sees it: found by its texts and roles, never by its code."""

from __future__ import annotations

import json
from typing import Any

from hosting import PATIENCE, Host
from playwright.sync_api import Frame, Locator, expect

expect.set_options(timeout=PATIENCE)
MISSING = "—"
# Returns the drawn cells of a row, which are the visible ones, by the name of their column.
CELLS = """row => Object.fromEntries([...row.querySelectorAll("[role=gridcell]")].map(cell => {
  const index = cell.getAttribute("aria-colindex");
  const head = row.parentElement.querySelector(`[role=columnheader][aria-colindex="${index}"]`);
  return [head.ariaLabel ?? head.querySelector("bdi").textContent, cell.querySelector("bdi")?.textContent];
}))"""


class Explorer:
    def __init__(self, host: Host) -> None:
        self.host = host

    @property
    def view(self) -> Frame:
        return self.host.view

    @property
    def grid(self) -> Locator:
        return self.view.locator("[role=grid]")

    @property
    def count(self) -> Locator:
        return self.view.get_by_role("status", name="Count")

    @property
    def said(self) -> Locator:
        return self.view.get_by_role("status", name="Last action")

    def open(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool as the model does, and show the result that the model did not get."""
        probe = self.host.call(tool, **arguments)
        token = json.loads(probe["content"][0]["text"])["continuation_token"]
        return self.show(token)

    def show(self, token: str, **showing: Any) -> dict[str, Any]:
        """Show a stored result, and return the reply of show_result."""
        result = self.host.show(token, **showing)
        assert not result.get("isError"), result["content"]
        self.grid.wait_for()
        return result

    # -- rows ----------------------------------------------------------------------------------

    def row(self, index: int) -> Locator:
        """Return the row at a place in the shown rows, from 0, once it has arrived."""
        return self.grid.locator(f'[role=row][aria-rowindex="{index + 2}"][aria-busy=false]')

    def cell(self, index: int, column: str) -> Locator:
        number = self.head(column).get_attribute("aria-colindex")
        return self.row(index).locator(f'[role=gridcell][aria-colindex="{number}"]')

    def number(self, index: int) -> Locator:
        """Return the row's own number, which is a button that opens the row."""
        return self.row(index).locator("[role=rowheader] button")

    def cells(self, index: int) -> dict[str, str]:
        row = self.row(index)
        row.wait_for()
        return row.evaluate(CELLS)

    def has_row(self, index: int, value: dict[str, Any], number: int | None = None) -> None:
        """Assert that a row is at a place: compare each visible cell, and the row's own number."""
        label = f"{(index if number is None else number) + 1:,}"
        expect(self.number(index)).to_have_text(label)
        cells = self.cells(index)
        assert cells
        columns = flat(value)
        assert cells == {name: brief(columns.get(name, ...)) for name in cells}

    def scroll_to(self, index: int) -> None:
        """Drag the scroll bar to about where a row is, and hold it there for a moment: the bar moves
        when something appears above the table meanwhile."""
        self.grid.evaluate(
            """async (grid, index) => {
              const rows = Number(grid.getAttribute("aria-rowcount")) - 1;
              for (let frame = 0; frame < 30; frame += 1) {
                const target = (grid.scrollHeight - grid.clientHeight) * (index / rows);
                if (Math.abs(grid.scrollTop - target) > 1) grid.scrollTop = target;
                await new Promise(requestAnimationFrame);
              }
            }""",
            index,
        )

    def scroll_to_end(self) -> None:
        self.grid.evaluate("grid => { grid.scrollTop = grid.scrollHeight; }")

    def scroll_right(self) -> None:
        """Scroll to the last columns."""
        self.grid.evaluate("grid => { grid.scrollLeft = grid.scrollWidth; }")

    def shown(self) -> list[int]:
        """Return the places of the rows that are drawn and have arrived."""
        rows = self.grid.locator("[role=row][aria-busy=false]")
        indexes = rows.evaluate_all("all => all.map(row => Number(row.ariaRowIndex) - 2)")
        return sorted(indexes)

    # -- what a user does ----------------------------------------------------------------------

    def head(self, column: str) -> Locator:
        heads = self.grid.locator('[role=row][aria-rowindex="1"]')
        return heads.get_by_role("columnheader", name=column, exact=True)

    def sort(self, column: str, direction: str) -> None:
        """Click on the head of a column once, which leads to this direction."""
        self.head(column).click(position={"x": 20, "y": 10})
        expect(self.head(column)).to_have_attribute("aria-sort", direction)
        self.settled()

    def find(self, text: str) -> None:
        box = self.view.get_by_role("searchbox")
        box.fill(text)
        box.press("Enter")

    def tool(self, name: str) -> Locator:
        """Return a button above the rows. Its dialog may have a button of the same name."""
        return self.view.get_by_role("button", name=name, exact=True).first

    def dialog(self, title: str) -> Locator:
        return self.view.get_by_role("dialog", name=title)

    def filter(self, column: str, condition: str, value: str = "", to: str = "") -> None:
        """Add a condition to the existing ones."""
        dialog = self.condition(column, condition, value, to)
        dialog.get_by_role("button", name="Apply").click()
        expect(dialog).to_be_hidden()

    def condition(self, column: str, condition: str, value: str = "", to: str = "") -> Locator:
        """Write a condition beside the existing ones, and return the dialog. `to`: the far end."""
        has_some = self.view.get_by_role("button", name="Remove filter").count() > 0
        self.tool("Filter").click()
        dialog = self.dialog("Filter rows")
        if has_some:
            dialog.get_by_role("button", name="Add condition").click()
        dialog.get_by_label("Column").last.select_option(label=column)
        dialog.get_by_label("Condition", exact=True).last.select_option(label=condition)
        if to:
            dialog.get_by_label("From", exact=True).last.fill(value)
            dialog.get_by_label("To", exact=True).last.fill(to)
        elif value:
            dialog.get_by_label("Value", exact=True).last.fill(value)
        return dialog

    def select(self, *indexes: int) -> None:
        for index in indexes:
            self.row(index).locator("input").click()

    def settled(self) -> None:
        """Wait until the answer to the last question is on screen."""
        expect(self.grid).to_have_attribute("aria-busy", "false")

    def has_count(self, text: str) -> None:
        expect(self.count).to_have_text(text)

    def alert(self, text: str) -> Locator:
        return self.view.get_by_role("alert").filter(has_text=text)


def flat(value: dict[str, Any], above: str = "") -> dict[str, Any]:
    """Return the members of nested objects under their names as columns."""
    columns: dict[str, Any] = {}
    for name, item in value.items():
        is_nested = isinstance(item, dict) and item
        columns |= flat(item, f"{above}{name}.") if is_nested else {above + name: item}
    return columns


def brief(value: Any) -> str:
    """Return the text of a value in a cell."""
    match value:
        case types if types is ...:
            return MISSING
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case dict():
            return f"{{{len(value)} key{'s' if len(value) != 1 else ''}}}"
        case list():
            return f"[{len(value)} item{'s' if len(value) != 1 else ''}]"
        case _:
            return str(value)


def size_in_json(value: Any) -> int:
    """Return the number of bytes on the wire."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())

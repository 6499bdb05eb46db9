"""The table of settings in docs/reference/settings.md, generated from the settings.

Run this file to rewrite the table: python tests/helpers/settings_page.py
"""

import re
from pathlib import Path

from penstock.cli.options import OPTIONS
from penstock.settings.table import HOST, SETTINGS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"
HEAD = "| setting | default | option | for one | |\n|---|---|---|---|---|\n"


def settings_table():
    return HEAD + "".join(map(row, (HOST, *SETTINGS.values())))


def row(setting):
    default = f"`{setting.default}`" if setting.default else setting.unset
    default += f"; `run`: `{setting.in_run}`" if setting.in_run else ""
    option = f"`--{setting.name.replace('_', '-')}`" if setting.name in OPTIONS else ""
    in_python = f" In Python, `{setting.field}`." if setting.name != setting.field else ""
    cells = (f"`{setting.name}`", default, option, setting.for_one or "")
    return f"| {' | '.join(cells)} | {setting.meaning}{in_python} |\n"


if __name__ == "__main__":
    told = PAGE.read_text("utf-8")
    table = re.compile(re.escape(HEAD) + r"(\|.*\n)*")
    PAGE.write_text(table.sub(lambda _: settings_table(), told, count=1), "utf-8")

"""The page of faults: every row is a fault, and every fault has a test that records its row.

The tests of the faults compare their own rows with the page.
"""

import ast
from pathlib import Path

import fault_list
from fault_list import FAULTS
from faults_page import HEAD, PAGE

NAMES = {name for name, value in vars(fault_list).items() if value in FAULTS}


def test_the_page_has_every_fault_in_order():
    rows = PAGE.read_text("utf-8").partition(HEAD)[2].partition("\n\n")[0].splitlines()
    assert len(rows) == len(FAULTS)
    for row, fault in zip(rows, FAULTS, strict=True):
        start, _, end = fault.row("WORDS").partition("WORDS")
        assert row.startswith(start)
        assert f"{row}\n".endswith(end)


def test_every_fault_has_a_test():
    recorded = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "saw":
                recorded |= {
                    name.id for name in ast.walk(node.args[0]) if isinstance(name, ast.Name)
                }
    assert {name for name in recorded if name.isupper()} == NAMES

"""The table of the measurements, which the last test puts into the documentation."""

from benchmarks.django_peers import PAGE
from site_table import BEGIN, ROWS, write_table


def test_the_page_has_the_table():
    write_table()
    table = PAGE.read_text("utf-8").partition(BEGIN)[2].partition("<!-- end -->")[0]
    assert all(f"| {row} |" in table for row in ROWS)

"""The table of the documentation, made from the results of all tests before."""

from benchmarks.django_peers import PAGE
from site_table import write_table


def test_the_results_are_written_into_the_documentation():
    write_table()
    assert "made by tests/sites" in PAGE.read_text("utf-8")

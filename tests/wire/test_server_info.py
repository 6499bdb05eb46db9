"""The name and the purpose of a server, for the directory of its tools."""

import pytest

from penstock.wire.server_info import about_server, name_in


@pytest.mark.parametrize(
    ("info", "told"),
    [
        ({"name": "mcp-atlassian", "version": "1"}, "mcp-atlassian"),
        ({"name": "x", "title": "Jira"}, "Jira"),
        ({"name": "x", "description": "Reads pumps. And more."}, "x (Reads pumps)"),
        ({"description": "Reads pumps."}, ""),
        ({"name": 5, "title": ["x"]}, ""),
        ({"name": "a\ud800"}, ""),
        (None, ""),
        ("text", ""),
    ],
)
def test_about(info, told):
    assert about_server(info) == told


def test_it_is_short():
    info = {"name": "n" * 500, "description": "word " * 500}
    assert len(about_server(info)) < 150
    assert len(name_in(info)) == 100

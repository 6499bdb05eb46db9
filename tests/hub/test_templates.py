import pytest

from penstock.hub.templates import admits


@pytest.mark.parametrize(
    ("template", "uri", "fits"),
    [
        ("file:///{path}", "file:///a/b", True),
        ("file:///{path}", "http:///a/b", False),
        ("db://{table}/rows/{id}", "db://users/rows/7", True),
        ("db://{table}/rows/{id}", "db://users/columns/7", False),
        ("x:a{x}a", "x:a", False),
        ("x:a{x}b{y}b", "x:axb", False),
        ("{+uri}", "file:///a", False),
        ("fixed", "fixed", True),
        ("fixed", "fixed2", False),
        ("{" * 3_000, "a", False),
    ],
)
def test_a_uri_belongs_to_a_template_with_the_same_fixed_parts(template, uri, fits):
    assert admits(template, uri) is fits


def test_a_template_made_to_be_slow_is_not():
    assert not admits("a{x}" * 400 + "b", "a" * 100_000)

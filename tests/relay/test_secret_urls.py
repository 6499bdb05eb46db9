"""Secrets in URLs: which are recognised, and what is shown."""

import pytest

from penstock.relay.secret_urls import holds_secret, shown_url

SECRET = {
    "https://ann:pw@a.example/mcp": "https://…@a.example/mcp",
    "https://a.example/mcp?api_key=k": "https://a.example/mcp?…",
    "https://a.example/mcp?x=9f86d081884c7d65": "https://a.example/mcp?…",
    "https://a.example/s/9f86d081884c7d65/mcp": "https://a.example/s/…/mcp",
    "https://a.example/u/0b5c2b6e-6f0c-4a7e-9d55-0d5f6a1c2b3d": "https://a.example/u/…",
    "https://a.example/aBcDeFgHiJkLmNoPqRsTuVw=": "https://a.example/…",
    "https://a.example/1234567890123456/mcp#top": "https://a.example/…/mcp",
}
PLAIN = {
    "https://mcp.example.com/mcp": None,
    "http://localhost:8000/v1/mcp/": None,
    "https://a.example/streamable-http-transport/mcp": None,
    "https://a.example/mcp?page=2": "https://a.example/mcp?…",
    "https://a.example/${SECRET_TOKEN_OF_MINE_1}/mcp": None,
    "https://a.example": None,
}


@pytest.mark.parametrize("url", SECRET)
def test_a_secret_is_recognised_and_not_shown(url):
    assert holds_secret(url)
    assert shown_url(url) == SECRET[url]


@pytest.mark.parametrize("url", PLAIN)
def test_other_urls_are_shown(url):
    assert not holds_secret(url)
    assert shown_url(url) == (PLAIN[url] or url)

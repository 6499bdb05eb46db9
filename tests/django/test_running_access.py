"""Access to the example site under real servers: tokens, sessions, several workers."""

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import httpx2
import psutil
import pytest
from running import COMBINATIONS, PASSWORD, PATIENCE, serving

ACCEPT = {"Accept": "application/json, text/event-stream"}
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
MODERN_LISTING = {**LISTING, "params": {"_meta": META}}
ERAS = {
    "2025-11-25": (LISTING, {"Mcp-Protocol-Version": "2025-11-25"}),
    "2026-07-28": (
        MODERN_LISTING,
        {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"},
    ),
}


@pytest.fixture
def browser(fleet_site):
    """Yield a client that keeps cookies, as a browser does."""
    with httpx2.Client(base_url=fleet_site.url, timeout=PATIENCE, headers=ACCEPT) as client:
        yield client


def listed(response):
    assert response.status_code == 200, response.text
    return {tool["name"] for tool in response.json()["result"]["tools"]}


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("", "credentials were not provided"),
        ("Token 0123456789abcdef", "Invalid token"),
        ("Token", "No credentials"),
        ("Bearer 0123456789abcdef", "credentials were not provided"),
    ],
    ids=["anonymous", "wrong token", "no token", "another scheme"],
)
def test_who_is_not_known_is_asked_to_say_who_he_is(browser, header, why):
    own = {"Authorization": header} if header else {}
    for message, headers in ERAS.values():
        response = browser.post("/mcp/", json=message, headers=headers | own)
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"] == "Token"
        assert why in response.json()["error"]["message"]


@pytest.mark.parametrize("era", ERAS)
def test_a_token_lets_its_user_in(fleet_site, browser, era):
    message, headers = ERAS[era]
    seen = {
        user: listed(
            browser.post("/mcp/", json=message, headers=headers | fleet_site.headers(user))
        )
        for user in ("technician", "viewer")
    }
    assert seen["technician"] - seen["viewer"] >= {"device_create", "device_retire"}
    assert "device_list" in seen["viewer"]


def test_a_session_lets_its_user_in(browser):
    log_in(browser, "technician")
    proof = {"X-CSRFToken": browser.cookies["csrftoken"]}
    response = browser.post("/mcp/", json=LISTING, headers=proof)
    assert "device_retire" in listed(response)
    same_site = {"Origin": str(browser.base_url).rstrip("/")}
    assert listed(browser.post("/mcp/", json=LISTING, headers=proof | same_site))


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-CSRFToken": "wrong" * 8}, {"Origin": "https://elsewhere.example"}],
    ids=["no proof", "wrong proof", "another site's page"],
)
def test_a_session_alone_is_not_enough(browser, headers):
    """Otherwise any page that a user opens could call tools in the user's name."""
    log_in(browser, "technician")
    proof = {"X-CSRFToken": browser.cookies["csrftoken"]} if "Origin" in headers else {}
    response = browser.post("/mcp/", json=LISTING, headers={**proof, **headers})
    assert response.status_code == 403
    assert "result" not in response.json()


def log_in(browser, user):
    page = browser.get("/api-auth/login/", headers={"Accept": "text/html"})
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1]
    form = {"username": user, "password": PASSWORD, "csrfmiddlewaretoken": token, "next": "/api/"}
    response = browser.post("/api-auth/login/", data=form, headers={"Accept": "text/html"})
    assert response.status_code == 302, response.text
    assert "sessionid" in browser.cookies


def test_other_methods_are_not_for_it(fleet_site, browser):
    for method in ("GET", "DELETE", "PUT"):
        response = browser.request(method, "/mcp/", headers=fleet_site.headers("viewer"))
        assert response.status_code == 405
        assert "POST" in response.headers["Allow"]


@pytest.mark.parametrize(
    "fleet_site",
    [each for each in COMBINATIONS if each[0] == "gunicorn"],
    indirect=True,
    ids="-".join,
)
def test_what_one_worker_has_stored_the_other_reads(fleet_site):
    with fleet_site.agent() as agent:
        tokens = [agent.told(tool)["continuation_token"] for tool in ("device_list", "fleet.power")]

    def read(token):
        with fleet_site.agent() as other:
            return [
                other.told("read_result", continuation_token=token, page=page)["page"]
                for page in range(1, 6)
            ]

    before = len(fleet_site.log.read_text("utf-8"))
    for _ in range(20):  # the kernel chooses which worker answers
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(read, tokens * 2)) == list(repeat([1, 2, 3, 4, 5], 4))
        log = fleet_site.log.read_text("utf-8")[before:]
        if len(set(re.findall(r"worker <(\d+)>: POST /mcp/ .* 200", log))) == 2:
            return
    pytest.fail("one worker alone has answered")


@pytest.mark.parametrize("server", ["gunicorn", "uvicorn"])
def test_nothing_of_a_server_is_left(server, sqlite_fleet, sqlite_store, tmp_path):
    with serving(server, sqlite_fleet, tmp_path / "log", **sqlite_store) as site:
        with site.agent() as agent:  # an SQL question starts one more process
            token = agent.told("device_list")["continuation_token"]
            look = {"mode": "sql", "query": "SELECT count(*) AS n FROM result"}
            assert agent.told("read_result", continuation_token=token, **look)["items"]
        leader = psutil.Process(site.process.pid)
        family = [leader, *leader.children(recursive=True)]
        assert len(family) > 1
    gone, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert not alive
    assert len(gone) == len(family)

"""The example site under each server, with each database and each kind of store."""

from pathlib import Path

import pytest
from running import COMBINATIONS, Site, filled, manage, postgres, serving


@pytest.fixture(scope="session", params=COMBINATIONS, ids="-".join)
def fleet_site(request, tmp_path_factory):
    """Serve the example, and show the site's log if a test fails."""
    server, database, store = request.param
    pytest.importorskip(server)
    log = tmp_path_factory.mktemp(server) / "log"
    variables = request.getfixturevalue(store)
    with serving(server, request.getfixturevalue(database), log, **variables) as served:
        yield served


@pytest.fixture(scope="session")
def sqlite_fleet(tmp_path_factory):
    return filled(FLEET_SQLITE=str(tmp_path_factory.mktemp("fleet") / "fleet.sqlite3"))


@pytest.fixture(scope="session")
def postgresql_fleet():
    with postgres() as variables:
        yield filled(**variables)


@pytest.fixture(scope="session")
def sqlite_store(tmp_path_factory):
    return {"PENSTOCK_STORE": f"sqlite:///{tmp_path_factory.mktemp('store') / 'results.sqlite3'}"}


@pytest.fixture(scope="session")
def redis_store(redis_server):
    return {"PENSTOCK_STORE": redis_server}


@pytest.fixture(scope="session")
def memory_store():
    return {"PENSTOCK_STORE": "memory:"}


@pytest.fixture(scope="session")
def cache_store(postgresql_fleet):
    """Return the variables of a site that stores results in a database table, by Django's cache."""
    variables = {
        "DJANGO_SETTINGS_MODULE": "fleet_on_cache",
        "PYTHONPATH": str(Path(__file__).parent),
    }
    manage("createcachetable", **postgresql_fleet.environment, **variables)
    return variables


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    served = getattr(item, "funcargs", {}).get("fleet_site")
    if report.failed and isinstance(served, Site):
        report.sections.append(("log of the site", served.log.read_text("utf-8")))
    return report

from __future__ import annotations

import pytest
from chromium import Driver
from host_site import bundle, serving_files
from relays import relay


@pytest.fixture(scope="session")
def driver():
    running = Driver()
    yield running
    running.close()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run the body of a browser test in the browser's thread."""
    driver = pyfuncitem.funcargs.get("driver")
    if driver is None:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    given = {name: pyfuncitem.funcargs[name] for name in names}
    driver.run(pyfuncitem.obj, **given)
    return True


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the origins of the host page and of the sandbox."""
    folder = tmp_path_factory.mktemp("host")
    bundle(folder)
    with serving_files(folder) as host, serving_files(folder) as sandbox:
        yield host, sandbox


@pytest.fixture(scope="session")
def plant(site):
    """Return the relay in front of the plant, for tests that change neither."""
    with relay(site[0], PENSTOCK_BEARER_TTL="1h") as served:
        yield served


@pytest.fixture
def host(driver, site, request):
    """Return a new page. Anything that goes wrong in it fails the test."""
    from hosting import Host

    options = getattr(request, "param", {})
    opened = driver.run(Host, driver.browser, *site, **options)
    yield opened
    driver.run(opened.close)
    assert opened.unexpected() == []


@pytest.fixture
def explore(host, plant):
    """Return a function that opens the explorer on a result. Call it in the test's own thread."""
    from explorer import Explorer

    def opened(tool, showing=None, **arguments):
        host.connect(plant.url)
        explorer = Explorer(host)
        explorer.show(plant.token(tool, **arguments), **(showing or {}))
        return explorer

    return opened

"""A site of third-party packages, which nobody has prepared for agents."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(settings, tmp_path, monkeypatch):
    """Use the site of packages, and an empty folder for findings."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    settings.ROOT_URLCONF = "gateway_site.package_urls"


def by_rest(agent, path):
    return agent.client.get(path, headers=agent.headers).json()


# -- answers -----------------------------------------------------------------------------------


def test_values_are_written_as_rest_framework_writes_them(admin):
    told = admin.value("inventory_totals_get")
    assert told == by_rest(admin, "/api/totals/")
    assert (told["sum"], told["lasts"]) == (0.1, "3600.0")

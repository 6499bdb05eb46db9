"""The choice of views that become tools, their inspection, and the permissions that a call needs."""

import json
import logging
import os
import stat
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import add

import pytest
from agents import Agent
from django.core.checks import run_checks
from django.core.management import call_command
from drf_spectacular.settings import spectacular_settings

from penstock.django import gateway, inspection, registry, view_tools
from penstock.django.inputs.values import Inputs

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(settings, tmp_path, monkeypatch):
    """Use the site with a web interface, and an empty folder for findings."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    settings.ROOT_URLCONF = "gateway_site.exposed_urls"
    yield
    registry.forget()


def start_again():
    """Forget what this process knows of the site, as if it were another one."""
    registry.forget()
    gateway.forget()


@pytest.fixture
def inspected(monkeypatch):
    """Note the paths of the views that are inspected."""
    paths, inspect = [], inspection.inputs_of

    def noted(endpoint, **options):
        paths.append(f"{endpoint.method} {endpoint.path}")
        return inspect(endpoint, **options)

    monkeypatch.setattr(inspection, "inputs_of", noted)
    return paths


def reasons():
    return {one.where: one.reason for one in registry.found().left_out}


# -- what becomes a tool -----------------------------------------------------------------------


def test_views_that_render_only_html_are_no_tools_and_take_no_names(admin):
    assert {"inventory_device_list", "inventory_as_csv_get"} <= admin.tools().keys()
    assert registry.tools()["inventory_device_list"].path == "/api/devices/"
    paths = [tool.path for tool in registry.tools().values() if tool.path]
    assert all(path.startswith("/api/") for path in paths)
    assert reasons()["GET /devices/"] == reasons()["GET /about/"] == "it answers only with HTML"


def test_operations_that_drf_spectacular_excludes_are_no_tools(admin):
    assert not [name for name in admin.tools() if "undocumented" in name]
    assert reasons()["GET /api/undocumented/"] == "drf-spectacular excludes it"


@pytest.fixture
def hooked(settings):
    """Return a function that gives drf-spectacular a hook, and returns the paths of tools then."""
    kind = "drf_spectacular.openapi.AutoSchema"
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_SCHEMA_CLASS": kind}

    def paths_with(hook):
        hooks = [f"gateway_site.exposed_urls.{hook}"]
        spectacular_settings.apply_patches({"PREPROCESSING_HOOKS": hooks})
        registry.forget()
        return {tool.path for tool in registry.tools().values() if tool.path}

    yield paths_with
    spectacular_settings.clear_patches()


def test_hooks_of_drf_spectacular_choose_among_paths(hooked):
    paths = hooked("without_internal")
    assert {"/api/locations/", "/api/devices/"} <= paths
    assert not [path for path in paths if path.startswith("/api/internal/")]
    assert reasons()["GET /api/internal/locations/"] == "a hook of drf-spectacular excludes it"
    assert {"/api/locations/", "/api/devices/"} <= hooked("without_prefix")
    assert not hooked("without_any")


def test_a_hook_of_drf_spectacular_that_fails_exposes_nothing(hooked, caplog, capsys):
    assert not hooked("failing")
    assert "failing" in caplog.text
    call_command("penstock_doctor", all=True)
    assert "endpoints are no tools: a hook of drf-spectacular fails." in capsys.readouterr().out


def test_tools_are_selected_by_path(admin, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "ALLOW_PATHS": ["/api/dev*"]}
    assert admin.tools().keys() & {"inventory_device_list", "inventory_as_csv_get"} == {
        "inventory_device_list"
    }
    settings.PENSTOCK = {**settings.PENSTOCK, "DENY_PATHS": ["/api/devices/{pk}/*"]}
    assert "inventory_device_retrieve" not in admin.tools()
    assert reasons()["GET /api/devices/{pk}/"] == "ALLOW_PATHS or DENY_PATHS"


def test_views_at_one_path_with_other_converters_are_all_tools(admin, plant):
    listed = admin.tools()
    found = [name for name, one in registry.tools().items() if one.path == "/api/one/{pk}/"]
    told = [listed[name]["description"] for name in found]
    assert told == ["A device by its number.", "Anything by its name.", "Anything by its name."]
    by_number, by_name, _ = found
    assert admin.value(by_number, pk=plant[0].pk)["id"] == plant[0].pk
    assert admin.value(by_name, pk="a-b") == {"name": "a-b"}


def test_a_version_in_the_media_type_does_not_open_a_view(ada, admin, caplog):
    with caplog.at_level(logging.WARNING, logger="penstock"):
        assert not [name for name in Agent.of(ada).tools() if "versioned" in name]
    assert not caplog.records
    assert [name for name in admin.tools() if "versioned" in name]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_the_endpoint_is_found_with_a_slash_and_without(admin, path):
    message = json.dumps(admin.message("tools/list"))
    headers = {"Accept": "application/json, text/event-stream", **admin.headers}
    answer = admin.client.post(path, message, content_type="application/json", headers=headers)
    assert answer.json()["result"]["tools"]


# -- when views are inspected ------------------------------------------------------------------


def test_a_view_is_inspected_once_and_only_if_it_is_exposed(admin, inspected, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "MAX_TIER": "read"}
    assert registry.tools()
    assert not inspected
    admin.tools()
    admin.tools()
    assert "GET /api/devices/" in inspected
    times = Counter(inspected)
    assert times.pop("GET /api/one/{pk}/") == 3  # three views are at this path
    assert {*times.values()} == {1}
    assert not [where for where in inspected if not where.startswith("GET /api/")]


def test_other_processes_use_the_findings_until_the_site_changes(admin, inspected, tmp_path):
    listed = admin.tools()
    [file] = (tmp_path / "penstock" / "django").iterdir()
    start_again()
    del inspected[:]
    assert admin.tools() == listed
    assert not inspected
    file.write_bytes(b"not findings")
    start_again()
    assert admin.tools() == listed
    assert inspected


def test_a_changed_setting_is_another_version(settings):
    before = inspection._file_of_this_site()
    assert inspection._file_of_this_site() == before
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "PAGE_SIZE": 7}
    assert inspection._file_of_this_site() != before


# A site with its URLconf beside its packages, and with views in a package that is no app.
SMALL_SITE = {
    "urls.py": """
from django.urls import include, path
from api.views import Devices
urlpatterns = [path("api/", Devices.as_view()), path("mcp/", include("penstock.django.urls"))]
""",
    "api/__init__.py": "",
    "api/serializers.py": "",
    "api/views.py": """
from rest_framework.views import APIView
class Devices(APIView):
    def get(self, request): ...
""",
    "run.py": """
import django
from django.conf import settings
def key(): ...
settings.configure(
    ROOT_URLCONF="urls", SECRET_KEY="for tests alone",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "penstock.django"],
    PENSTOCK={"ALLOW": {"a*", "b*", "c*", "devices*"}}, SPECTACULAR_SETTINGS={"HOOK": key},
)
django.setup()
from penstock.django import registry
print(registry.found().findings._file.name)
""",
}


@pytest.fixture
def version(tmp_path):
    """Return a function that starts a small site, and returns the name of its file."""
    for name, text in SMALL_SITE.items():
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text)

    def started(seed):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "run.py"]
        return subprocess.check_output(command, cwd=tmp_path / "site", env=environment)

    return started


def test_processes_agree_on_the_version_of_a_site(version):
    assert len({version(seed) for seed in "1234"}) == 1


@pytest.mark.parametrize("name", ["urls.py", "api/views.py", "api/serializers.py"])
def test_a_changed_source_file_is_another_version(version, tmp_path, name):
    before = version("1")
    with (tmp_path / "site" / name).open("a") as file:
        file.write("# more")
    assert version("1") != before


# -- the file of findings ----------------------------------------------------------------------


FOUND = inspection.Findings("d", Inputs({}, {}))


def kept_after(file, seconds, monkeypatch):
    """Return a file of findings as another process sees it later."""
    later = time.time() + seconds
    monkeypatch.setattr(inspection.time, "time", lambda: later)
    return inspection.FindingsFile(file)


def test_findings_are_used_for_a_day_and_no_save_renews_them(tmp_path, monkeypatch):
    file = tmp_path / "a-b.tools"
    one = inspection.FindingsFile(file)
    one.put("old", FOUND)
    one.save()
    two = kept_after(file, 80_000, monkeypatch)
    two.put("new", FOUND)
    two.save()
    assert kept_after(file, 100, monkeypatch).get("old")
    three = kept_after(file, 10_000, monkeypatch)
    assert not three.get("old")
    assert not three.get("new")
    three.put("newest", FOUND)
    three.save()
    assert kept_after(file, 0, monkeypatch).get("newest")


def test_processes_that_save_at_the_same_time_keep_the_findings_of_all(tmp_path):
    file = tmp_path / "a-b.tools"
    one, two = inspection.FindingsFile(file), inspection.FindingsFile(file)
    for name, process in (("one", one), ("two", two)):
        process.put(name, FOUND)
    one.save()
    two.save()
    read = inspection.FindingsFile(file)
    assert read.get("one")
    assert read.get("two")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [*tmp_path.iterdir()] == [file]


def test_threads_that_save_at_the_same_time_leave_a_good_file(tmp_path, caplog):
    caplog.set_level("INFO")
    file = tmp_path / "a-b.tools"
    shared = inspection.FindingsFile(file)
    for number in range(500):
        shared.put(f"k{number}", inspection.Findings("d" * 500, Inputs({}, {})))
    shared.save()

    def work(thread):
        for number in range(20):
            shared.put(f"{thread} {number}", FOUND)
            shared.save()
            assert inspection.FindingsFile(file).get("k0")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert not caplog.records
    assert inspection.FindingsFile(file).get("3 19")


def test_a_folder_that_cannot_be_written_changes_nothing(admin, tmp_path):
    (tmp_path / "penstock").write_text("a file in the place of the folder")
    assert admin.tools()


def test_a_deployment_inspects_before_the_first_client(admin, inspected, capsys):
    call_command("penstock_warm")
    assert "tools are ready" in capsys.readouterr().out
    start_again()
    del inspected[:]
    admin.tools()
    assert not inspected


# -- which permissions are asked for -----------------------------------------------------------


@pytest.fixture
def asked(monkeypatch):
    """Note the paths of the views that are asked for their permissions."""
    paths, ask = [], view_tools.ask_view

    def noted(caller, endpoint):
        paths.append(endpoint.path)
        return ask(caller, endpoint)

    monkeypatch.setattr(view_tools, "ask_view", noted)
    return paths


def test_a_call_asks_one_view_even_after_the_list_has_expired(root, plant, settings, asked):
    settings.PENSTOCK = {"STORE": "memory:", "LIST": "index"}
    agent = Agent.of(root)
    agent.tools()
    assert len(asked) > 5
    del asked[:]
    agent.tools()
    assert not asked
    gate = gateway.gateway().gate
    for seconds in (60, 600):
        del asked[:]
        gate.clock = partial(add, gate.clock(), seconds)
        agent.value(
            "call_read_only_tool", name="inventory_device_retrieve", arguments={"pk": plant[0].pk}
        )
        assert {*asked} == {"/api/devices/{pk}/"}


def test_a_page_asks_for_no_list_of_tools(admin, asked):
    token = admin.value("inventory_device_list")["next"]
    gate = gateway.gateway().gate
    gate.clock = partial(add, gate.clock(), 120)
    del asked[:]
    assert admin.value("read_result", continuation_token=token)["items"]
    assert not asked


FOR_KEYS = "inventory_for_keys_list"


@pytest.mark.parametrize("form", ["full", "index"])
@pytest.mark.parametrize("is_stranger_first", [True, False])
@pytest.mark.parametrize("name", ["", "ada"])
def test_callers_with_other_credentials_have_other_lists(
    ada, plant, settings, form, is_stranger_first, name
):
    """The holder of a key is shown a tool, and others with the same name, or none, are not."""
    settings.PENSTOCK = {
        **settings.PENSTOCK,
        "LIST_FORM": form,
        "PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    }
    stranger, holder = (Agent.of(ada), Agent.of(ada)) if name else (Agent(), Agent())
    holder.headers["X-Api-Key"] = "good"
    for agent in (stranger, holder) if is_stranger_first else (holder, stranger):
        # An index writes names that begin alike together.
        listed = str(agent.request("tools/list"))
        assert ("for_keys_list" in listed) is (agent is holder)
    assert len(holder.value(FOR_KEYS)) == 3


def test_callers_who_are_shown_the_same_tools_share_one_set(ada, bob, root, plant):
    for user in (ada, bob, root):
        Agent.of(user).tools()
    seen = [one.visible for one in gateway.gateway()._seen._items.values()]
    assert len(seen) == 3
    assert len({id(one) for one in seen}) == 2


def test_headers_of_one_request_say_nothing_of_the_caller(ada, plant, asked):
    agent = Agent.of(ada)
    agent.headers["X-Request-Id"] = "1"
    agent.tools()
    del asked[:]
    agent.headers["X-Request-Id"] = "2"
    agent.tools()
    assert not asked


def test_views_are_authenticated_once_to_be_asked(ada, plant, django_assert_max_num_queries):
    agent = Agent.of(ada)
    registry.tools()
    with django_assert_max_num_queries(12):
        agent.tools()


# -- advice to the developer -------------------------------------------------------------------


def test_the_doctor_tells_what_is_left_out_and_what_may_leak(admin, capsys):
    call_command("penstock_doctor", all=True)
    told = capsys.readouterr().out
    assert "endpoints are no tools: it answers only with HTML." in told
    assert "  - GET /devices/\n" in told
    assert "lists are read live, in parts." in told
    assert "tools may return credentials." in told
    assert "keys_list (secret)" in told
    assert "unread_create" in told.partition("a body without a schema")[2]


def test_a_check_before_deployment_warns_of_credentials():
    found = [one for one in run_checks(include_deployment_checks=True) if one.id == "penstock.W006"]
    assert [one.msg for one in found if "tools may return credentials. " in one.msg]
    assert not [one for one in run_checks() if one.id == "penstock.W006"]


def test_django_has_nothing_to_say_about_the_url():
    assert not [one for one in run_checks() if one.id.startswith("urls.")]

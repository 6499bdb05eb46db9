"""Every program of docs/howto/programs.md and of the README runs through `penstock run` in front of a real
server, and gets the reply that the page shows."""

import json
import re

import pytest
from node_runtime import node
from program_material import make_folders
from program_page import COST, PAGES, SHOWN, answer, connected, sections

pytest.importorskip("pydantic_monty")
ANEW = "write it anew: python tests/helpers/program_page.py"
HOWTO, README = map(sections, PAGES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    node()
    made = tmp_path_factory.mktemp("material")
    make_folders(made)
    return made


def costs(text):
    return [int(cost.replace(",", "")) for cost in COST.findall(text)]


@pytest.mark.parametrize("section", [*HOWTO.values(), *README.values()], ids=[*HOWTO, *README])
def test_the_programs_get_the_replies_that_their_page_shows(section, folder):
    with connected(section, folder) as client:
        for code, shown in SHOWN.findall(section):
            told = answer(client, section, code)
            assert COST.sub("~", told) == COST.sub("~", shown.rstrip("\n")), ANEW
            assert costs(told) == pytest.approx(costs(shown), rel=0.35), ANEW


def test_the_pages_show_programs():
    assert len(HOWTO) > 5
    assert len(README) == 1


def test_an_answer_is_handed_on_without_being_read(folder):
    section = HOWTO["Join two results, and hand the answer on"]
    ((code, _shown),) = SHOWN.findall(section)
    call = json.loads(re.search(r"^```json\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[1])
    with connected(section, folder) as client:
        found = json.loads(client.call("run_python", code=code)["content"][0]["text"])
        arguments = {**call["arguments"], "content": f"@result:{found['token']}"}
        assert not client.call(call["name"], **arguments).get("isError")
    written = json.loads((folder / "data" / "busiest.json").read_text())
    assert len(written) == found["rows"] == 303


def test_the_table_is_filled(folder):
    section = HOWTO["Fill a table from another"]
    ((code, _shown),) = SHOWN.findall(section)
    with connected(section, folder) as client:
        answer(client, section, code)
    lines = (folder / "data" / "groups_with_ages.csv").read_text().splitlines()
    assert lines[:2] == ["group,person,age", "1,Alan,25"]

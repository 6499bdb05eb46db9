"""Programs through `penstock run`, with the official SDK on both sides: tools that ask the user."""

import json
import sys

import pytest
from relay_processes import SERVERS
from relay_sdk import ERAS, SdkClient

ASKING = [sys.executable, str(SERVERS / "asking_server.py")]
TWO_QUESTIONS = """
import asyncio
await asyncio.gather(greet(greeting="Hello"), plain(text="no question"), greet(greeting="Hi"))
"""


@pytest.fixture(params=ERAS)
def sdk(request):
    client = SdkClient(ASKING, "--programs", "on", mode=ERAS[request.param])
    yield client
    client.close()


async def run(client, code):
    return await client.call_tool("run_python", {"code": code})


def test_questions_of_tools_reach_the_user_and_the_program_goes_on(sdk):
    async def scenario(client, heard):
        result = await run(client, TWO_QUESTIONS)
        assert json.loads(result.content[0].text) == ["Hello, Ada!", "no question", "Hi, Ada!"]
        assert sorted(heard.questions) == ["Hello, who are you?", "Hi, who are you?"]
        assert "greet 2x, plain 1x" in result.content[1].text

    sdk.run(scenario)


def test_a_program_may_ask_several_times_and_keeps_its_variables(sdk):
    async def scenario(client, heard):
        code = "names = []\nfor g in 'abc':\n    names.append(await greet(greeting=g))\nnames"
        result = await run(client, code)
        assert json.loads(result.content[0].text) == ["a, Ada!", "b, Ada!", "c, Ada!"]
        assert len(heard.questions) == 3
        result = await run(client, "len(names)")
        assert result.content[0].text == "3"

    sdk.run(scenario)


@pytest.mark.parametrize("sdk", ["modern"], indirect=True)  # a legacy server asks within the call
def test_a_client_that_comes_back_with_another_state_is_refused(sdk):
    async def scenario(client, _heard):
        told = await client.session.call_tool(
            "run_python", {"code": "1"}, request_state="not a program", input_responses={}
        )
        assert told.is_error
        assert "The program that asked this is gone" in told.content[0].text

    sdk.run(scenario)

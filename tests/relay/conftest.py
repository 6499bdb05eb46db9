"""A relay in front of a command, as a process."""

import pytest
from relay_processes import StdioClient


@pytest.fixture
def start():
    """Start `penstock run` in front of a command, and end what a test left running."""
    clients = []

    def started(command, *options, greet=True, **keywords):
        client = StdioClient(command, *options, **keywords)
        clients.append(client)
        if greet:
            client.greet()
        return client

    yield started
    for client in clients:
        client.discard()


@pytest.fixture(params=["stdio"])
def connect(request, start):
    """Connect an agent to a server in every way, behind the relay too."""

    def connected(command, **settings):
        options = [word for name, value in settings.items() for word in (f"--{name}", value)]
        return start(command, *options)

    return {"stdio": connected}[request.param]

"""The four callers of a site, each with the client that makes its requests."""

from agents import Agent
from django.test import Client

ACCEPTED = "application/json, */*;q=0.1"  # as the gateway asks the views


def named(agent, **users):
    """Return an agent for each user, by kind of caller, and one that is nobody."""
    agents = {kind: agent(user) for kind, user in users.items()} | {"anonymous": Agent()}
    for one in agents.values():
        one.client.raise_request_exception = False
    return agents


def signed_in(user):
    """Return an agent with a session."""
    client = Client()
    client.force_login(user)
    return Agent(client=client)


def send(agent, path, method="GET", body=None):
    """Make a request to the API, as the agent's caller."""
    headers = {"Accept": ACCEPTED, **agent.headers}
    return agent.client.generic(
        method, path, body or b"", content_type="application/json", headers=headers
    )

"""A session before a hub before scripted servers: everything that `--servers` runs, without processes."""

import json

from relay_rig import Rig
from scripted_servers import Bench, ScriptedServer

__all__ = ["Front", "server"]


class _Servers(Bench):
    """A bench whose client is a session."""

    era = "legacy"

    def answer(self, line):
        """Return the messages for the session that follow one of its own."""
        before = len(self.to_client)
        self.carry(self.hub.from_client(line))
        return [json.dumps(message).encode() for message in self.to_client[before:]]


class Front(Rig):
    """A client, a session and a hub. `members` replaces what is configured of the servers, and `dead`
    says why some cannot be started."""

    def __init__(
        self, *, era="legacy", members=None, remembered=None, dead=None, servers, **settings
    ):
        bench = _Servers(remembered, members=members, **servers)
        bench.era, bench.dead = era, dead or {}
        super().__init__(bench, greet=False, **settings)
        self.bench = bench
        self.session.connection.server = "the front"
        self.session.connection.servers = bench.hub
        self.greet()


def server(era="legacy", **results):
    """Return a server with a tool for each of these results. A function gets the arguments."""
    made = ScriptedServer(*results, era=era)

    def call(params):
        result = results[params["name"]]
        given = result(params.get("arguments", {})) if callable(result) else result
        stamp = {"resultType": "complete"} if era == "modern" else {}
        return {"result": {**given, **stamp}}

    made.answers["tools/call"] = call
    return made

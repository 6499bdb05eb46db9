"""Local services that recorded servers ask: the pages, a database's API, a cluster's API.

The servers are real, and only what they talk to is made up: Supabase's management API and a
Kubernetes API server, each reduced to the addresses that the recorded calls use.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from corpus.material import orders, pods

# The port is fixed, because it appears in recorded texts.
PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"
SUPABASE_ORDERS = 300
_POD_COLUMNS = ("name", "ready", "status", "restarts", "age")
_VERBS = ["get", "list"]


_AUTHORIZATION = "authorization.k8s.io/v1"

_ALLOWED = {
    "kind": "SelfSubjectAccessReview",
    "apiVersion": _AUTHORIZATION,
    "spec": {},
    "status": {"allowed": True},
}


def _groups() -> list[dict[str, Any]]:
    version = {"groupVersion": _AUTHORIZATION, "version": "v1"}
    name = _AUTHORIZATION.partition("/")[0]
    return [{"name": name, "versions": [version], "preferredVersion": version}]


def _resources(group: str, *kinds: tuple[str, str]) -> dict[str, Any]:
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group,
        "resources": [
            {"name": name, "singularName": "", "namespaced": True, "kind": kind, "verbs": _VERBS}
            for name, kind in kinds
        ],
    }


def _pod_table() -> dict[str, Any]:
    """Return the pods as an API server prints them for `kubectl get pods`."""
    columns = [
        {
            "name": name.capitalize(),
            "type": "string",
            "format": "",
            "description": "",
            "priority": 0,
        }
        for name in _POD_COLUMNS
    ]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "1"},
        "columnDefinitions": columns,
        "rows": [_pod_row(pod) for pod in pods()],
    }


def _pod_row(pod: dict[str, Any]) -> dict[str, Any]:
    metadata = {
        "name": pod["name"],
        "namespace": pod["namespace"],
        "labels": {"app": pod["name"].partition("-")[0]},
    }
    return {
        "cells": [pod[name] for name in _POD_COLUMNS],
        "object": {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": metadata,
        },
    }


class _Handler(SimpleHTTPRequestHandler):
    """Files of the material, and the two APIs."""

    kubernetes: ClassVar[dict[str, Any]] = {
        "/version": {"major": "1", "minor": "34", "gitVersion": "v1.34.0"},
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": _groups()},
        "/api/v1": _resources("v1", ("pods", "Pod")),
        f"/apis/{_AUTHORIZATION}": _resources(
            _AUTHORIZATION, ("selfsubjectaccessreviews", "SelfSubjectAccessReview")
        ),
        "/api/v1/pods": _pod_table(),
    }

    def do_GET(self) -> None:
        known = self.kubernetes.get(self.path.partition("?")[0])
        if known is None:
            super().do_GET()
        else:
            self._answer(known)

    def do_POST(self) -> None:
        """Answer an SQL query at Supabase's address with orders, and allow all in the cluster."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/database/query"):
            self._answer(orders(SUPABASE_ORDERS), status=201)
        else:
            self._answer(_ALLOWED, status=201)

    def _answer(self, value: object, status: int = 200) -> None:
        body = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Log nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[None]:
    """Serve the material and the APIs at `ADDRESS`."""
    with ThreadingHTTPServer(("127.0.0.1", PORT), partial(_Handler, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def kubeconfig() -> str:
    """Return the settings with which a client of Kubernetes asks `ADDRESS`."""
    named: Sequence[tuple[str, dict[str, Any]]] = (
        ("clusters", {"name": "local", "cluster": {"server": ADDRESS}}),
        ("contexts", {"name": "local", "context": {"cluster": "local", "user": "local"}}),
        ("users", {"name": "local", "user": {}}),
    )
    head = {"apiVersion": "v1", "kind": "Config", "current-context": "local"}
    return json.dumps(head | {key: [value] for key, value in named})

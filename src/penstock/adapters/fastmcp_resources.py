"""The resources that Penstock adds to a FastMCP server."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import mcp_types
from fastmcp.resources import Resource, ResourceContent, ResourceResult, ResourceTemplate


class OurResource(Resource):
    """An entry for Penstock's resource. The middleware reads the resource before FastMCP does."""

    wire: dict[str, Any]

    @classmethod
    def listed(cls, wire: dict[str, Any]) -> OurResource:
        return cls(uri=wire["uri"], name=wire["name"], wire=wire)

    def to_mcp_resource(self, **_overrides: Any) -> mcp_types.Resource:
        return mcp_types.Resource.model_validate(self.wire)


class OurTemplate(ResourceTemplate):
    """An entry for Penstock's resource template."""

    wire: dict[str, Any]

    @classmethod
    def listed(cls, wire: dict[str, Any]) -> OurTemplate:
        return cls(uri_template=wire["uriTemplate"], name=wire["name"], parameters={}, wire=wire)

    def to_mcp_template(self, **_overrides: Any) -> mcp_types.ResourceTemplate:
        return mcp_types.ResourceTemplate.model_validate(self.wire)


class OurContents(ResourceResult):
    """The contents of Penstock's resource. They are private to the caller and not cached, whatever
    the server sets for its own resources."""

    def to_mcp_result(self, uri: Any) -> mcp_types.ReadResourceResult:
        made = super().to_mcp_result(uri)
        return made.model_copy(update={"ttl_ms": 0, "cache_scope": "private"})


def content_of(told: Mapping[str, Any]) -> ResourceContent:
    body = base64.b64decode(told["blob"]) if "blob" in told else told["text"]
    return ResourceContent(body, mime_type=told.get("mimeType"), meta=told.get("_meta"))

"""Tools for authors of widgets (MCP Apps) that keep a widget's data inside the host's cap."""

from penstock.widgets.fields import Fields, referenced_fields
from penstock.widgets.fit import Fitted, fit_rows
from penstock.widgets.script import payload_script

__all__ = ["Fields", "Fitted", "fit_rows", "payload_script", "referenced_fields"]

"""The one place that joins the protocol with a store, the worker and the tool."""

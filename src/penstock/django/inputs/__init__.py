"""The arguments and the description of an endpoint's tool: the JSON Schema of the arguments, and
where each argument goes in the HTTP request.

`inspecting` asks `paths`, `queries` and `bodies`, and `operations` if drf-spectacular documents the
view; `naming` puts their answers together.
"""

from penstock.django.inputs.describing import describe
from penstock.django.inputs.filling import body_of, path_values, query_pairs
from penstock.django.inputs.inspecting import inputs_of
from penstock.django.inputs.values import InputPlace, Inputs

__all__ = ["InputPlace", "Inputs", "body_of", "describe", "inputs_of", "path_values", "query_pairs"]

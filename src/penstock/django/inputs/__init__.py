"""What the tool of an endpoint takes and is for: the JSON Schema of its arguments, where each goes in
the HTTP request, and a description.

`inspecting` asks `paths`, `queries` and `bodies`, and `operations` where drf-spectacular is at work;
`naming` puts what they know together.
"""

from penstock.django.inputs.describing import describe
from penstock.django.inputs.filling import body_of, path_values, query_pairs
from penstock.django.inputs.inspecting import inputs_of
from penstock.django.inputs.values import InputPlace, Inputs

__all__ = ["InputPlace", "Inputs", "body_of", "describe", "inputs_of", "path_values", "query_pairs"]

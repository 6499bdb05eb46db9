"""The values of YAML as PyYAML constructs them, with the scalars of YAML 1.2 that Penstock reads."""

from __future__ import annotations

import json
import math
import re

import yaml

CORE = "tag:yaml.org,2002:"
FLOAT = r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
NOT_FINITE = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
PATTERNS = {
    "null": (r"(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    "bool": (r"(?:true|True|TRUE|false|False|FALSE)$", [*"tTfF"]),
    "int": (r"-?(?:0|[1-9][0-9]*)$", [*"-0123456789"]),
    "float": (
        f"(?:{FLOAT}|{NOT_FINITE})$",
        [*"-+.0123456789"],
    ),
    "merge": (r"<<$", ["<"]),
}


def construct_mapping(loader, node, *, deep=False):
    del deep
    loader.flatten_mapping(node)
    return {
        as_key(loader.construct_object(key, deep=True), key): loader.construct_object(
            value, deep=True
        )
        for key, value in node.value
    }


def as_key(key, node):
    if key is None and node.value.lower().lstrip("+-") in (".inf", ".nan"):
        return node.value
    if isinstance(key, int | float) and not isinstance(key, bool):
        return as_json(node.value)
    return key if isinstance(key, str) else json.dumps(key, separators=(",", ":"))


def as_json(number):
    """Return a number as JSON writes it: with digits around its point."""
    return re.sub(r"\.(?=$|[eE])", ".0", re.sub(r"^(-?)\.", r"\g<1>0.", number))


def plain(loader, _, node):
    match node:
        case yaml.ScalarNode():
            return loader.construct_scalar(node)
        case yaml.SequenceNode():
            return loader.construct_sequence(node, deep=True)
    return loader.construct_mapping(node, deep=True)


def number(loader, node):
    text = loader.construct_scalar(node)
    if text.lower().lstrip("+-") in (".inf", ".nan"):
        return None
    value = json.loads(as_json(text))
    return value if math.isfinite(value) else text


def oracle(base):
    """Return a loader that knows no tags but the core ones, and no types but those of JSON."""
    known = {
        CORE + name: base.yaml_constructors[CORE + name] for name in ("str", "bool", "null", "seq")
    }
    loader = type("Oracle", (base,), {
        "yaml_implicit_resolvers": {},
        "yaml_constructors": known,
        "construct_mapping": construct_mapping,
    })  # fmt: skip
    for name, (pattern, first) in PATTERNS.items():
        loader.add_implicit_resolver(CORE + name, re.compile("^" + pattern), first)
    loader.add_multi_constructor("", plain)
    loader.add_constructor(CORE + "map", construct_mapping)
    loader.add_constructor(CORE + "int", number)
    loader.add_constructor(CORE + "float", number)
    return loader


IN_PYTHON = oracle(yaml.SafeLoader)
IN_C = oracle(yaml.CSafeLoader)  # it takes some texts that the other refuses, as Penstock does


def constructed(text, loader=IN_PYTHON):
    """Return the value of a text, or the list of its documents that are not empty."""
    documents = yaml.load_all(text, Loader=loader)
    found = [document for document in documents if document is not None]
    return found if len(found) > 1 else found[0]

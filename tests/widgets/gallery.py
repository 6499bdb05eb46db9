"""Vega-Lite's own examples, their data, and their pictures.

The specs are not part of this project. They are read from an archive beside it, or from the path in
the variable PENSTOCK_VEGA_SPECS. Their data come from the npm package vega-datasets.
"""

import copy
import csv
import io
import json
import os
import re
import tarfile
from functools import cache
from pathlib import Path

import vl_convert

ROOT = Path(__file__).parents[2]
ARCHIVE = Path(
    os.environ.get("PENSTOCK_VEGA_SPECS", ROOT.parent / "shared/data/vega-lite-specs.tar.gz")
)
DATASETS = ROOT / "tests/node/node_modules/vega-datasets/data"

NUMBERED = re.compile(r"\b(clip|gradient_|pattern_)\d+\b")
DELIMITERS = {"csv": ",", "tsv": "\t"}


def missing():
    """Return why the gallery cannot be drawn here, or "" if it can."""
    if not ARCHIVE.exists():
        return f"no archive of specs at {ARCHIVE} (PENSTOCK_VEGA_SPECS says where it is)"
    return "" if DATASETS.exists() else f"the npm package vega-datasets is not at {DATASETS}"


@cache
def specs():
    """Return the text of each spec, by name."""
    with tarfile.open(ARCHIVE) as archive:
        files = [each for each in archive.getmembers() if each.name.endswith(".vl.json")]
        return {
            Path(each.name).name.removesuffix(".vl.json"): archive.extractfile(each).read().decode()
            for each in sorted(files, key=lambda each: each.name)
        }


def svg(spec):
    """Return the picture, without fetching anything. Clips and gradients get new numbers, because
    the library counts them through all pictures of a process."""
    text = vl_convert.vegalite_to_svg(json.dumps(spec), allowed_base_urls=[])
    numbers = {}
    return NUMBERED.sub(lambda each: f"{each[1]}{numbers.setdefault(each[0], len(numbers))}", text)


def scene(spec):
    """Return everything in the picture, with tooltips and links, which the picture does not show."""
    return vl_convert.vegalite_to_scenegraph(json.dumps(spec), allowed_base_urls=[])


def vega(spec):
    """Return the Vega spec that Vega-Lite makes of a spec."""
    return vl_convert.vegalite_to_vega(json.dumps(spec))


# A step of a path, as Vega splits it: `a.b`, `a[0]`, `a["b.c"]`, or `a\.b` for the one step `a.b`.
STEP = re.compile(r"""\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]|((?:\\.|[^.\[\\])+)""")


def path_of(text):
    """Return the steps of a path."""
    parts = [next(each for each in found if each) for found in STEP.findall(text)]
    return [part.replace("\\", "") for part in parts]


class Pruned:
    """A spec with inline data that has only the columns in `fields`, or all if it is None.

    `there` and `kept` are the columns of each data set, one after the other.
    """

    def __init__(self, spec, fields=None):
        self.fields = fields
        self.there = []
        self.kept = []
        self.spec = copy.deepcopy(spec)
        self._visit(self.spec)
        for name, rows in self.spec.get("datasets", {}).items():
            self.spec["datasets"][name] = self._rows(rows)

    def _visit(self, node):
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if key == "data" and isinstance(value, dict):
                node[key] = self._data(value)
            elif key != "datasets" and isinstance(value, (dict, list)):
                self._visit(value)

    def _data(self, data):
        form = data.get("format") or {}
        values = data.get("values")
        if "url" in data:
            file = DATASETS / data["url"].rpartition("data/")[2]
            form = {"type": file.suffix[1:], **form}
            text = file.read_text("utf-8")
            values = text if form["type"] in DELIMITERS else json.loads(text)
        if values is None:
            return data
        rest = {key: value for key, value in data.items() if key != "url"}
        return {**rest, "values": self._values(values, form), **({"format": form} if form else {})}

    def _values(self, values, form):
        if isinstance(values, str):
            return self._table(values, DELIMITERS[form["type"]])
        if form.get("type") == "topojson":
            return self._topology(values)
        return self._under(values, path_of(form.get("property") or ""))

    def _under(self, values, path):
        """Prune the rows at a path, as `format.property` names them. Keep what is around them."""
        if not path:
            return self._rows(values)
        step, *rest = path
        inside = self._under(values[int(step) if isinstance(values, list) else step], rest)
        if isinstance(values, list):
            return [*values[: int(step)], inside, *values[int(step) + 1 :]]
        return {**values, step: inside}

    def _keeps(self, column):
        self.there.append(column)
        keeps = self.fields is None or column in self.fields
        if keeps:
            self.kept.append(column)
        return keeps

    def _rows(self, rows):
        if isinstance(rows, dict):
            return self._rows([rows])[0]
        columns = dict.fromkeys(key for row in rows if isinstance(row, dict) for key in row)
        kept = {column for column in columns if self._keeps(column)}
        return [
            {key: value for key, value in row.items() if key in kept}
            if isinstance(row, dict)
            else row
            for row in rows
        ]

    def _table(self, text, delimiter):
        """Prune a table as text, so that it is parsed as before. A table without columns would have
        no rows, so one column replaces the last that is dropped."""
        header, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
        kept = [number for number, column in enumerate(header) if self._keeps(column)]
        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter)
        for row in (header, *rows) if kept else ():
            writer.writerow(row[number] if number < len(row) else "" for number in kept)
        return out.getvalue() if kept else "\n".join(["-", *["0"] * len(rows)])

    def _topology(self, topology):
        """Prune the geometries, of which rows are made. Everything but their shape can go."""
        geometries = [
            geometry
            for each in topology["objects"].values()
            for geometry in each.get("geometries", [each])
        ]
        for column in ("id", "properties"):
            if any(column in each for each in geometries) and not self._keeps(column):
                for geometry in geometries:
                    geometry.pop(column, None)
        return topology

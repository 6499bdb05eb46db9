"""Grids and series: a summary that an agent can afford, and the whole on demand.

A tool returns a `Grid` or a `Series`. Each has two forms, `summary()` and `full()`, which the field
`output` names. Every value in the summary is also in the full form. Nothing here needs numpy or
tsdownsample, unless the data is numpy's or the sampling asks for it.
"""

from penstock.shaping.fitting import SUMMARY_TOKENS
from penstock.shaping.grid import Grid
from penstock.shaping.problems import InvalidShape
from penstock.shaping.schema import cell_schema, output_schema
from penstock.shaping.series import Series
from penstock.shaping.shaper import Shaper

__all__ = [
    "SUMMARY_TOKENS",
    "Grid",
    "InvalidShape",
    "Series",
    "Shaper",
    "cell_schema",
    "output_schema",
]

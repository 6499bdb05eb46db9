"""Grids and series: what a model needs of them in a summary, and all of them on demand.

`Grid` and `Series` are what a tool returns. Each gives two forms, `summary()` and `full()`, told
apart by the field `output`; what the summary shows is found in the full form, value for value.
Nothing here needs numpy or tsdownsample, unless the data is numpy's or the sampling asks for it.
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

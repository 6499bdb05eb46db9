"""The columns that a Vega or Vega-Lite specification may refer to."""

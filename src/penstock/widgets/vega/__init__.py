"""The columns that a Vega or Vega-Lite specification refers to."""

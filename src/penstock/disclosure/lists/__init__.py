"""Lists of tools, in the form that says enough and fits."""

"""Programs that run in a site's own Python, and write what they find as JSON."""

from time import perf_counter

STARTED = perf_counter()  # when the process began, nearly

"""Settings that keep astropy on its installed tables, so that nothing waits for a network.

Import this module before astropy converts its first time. Otherwise astropy fetches newer leap
seconds and Earth orientation as soon as its own look old.
"""

from __future__ import annotations

from astropy.utils import data, iers

data.conf.allow_internet = False
iers.conf.auto_download = False
# No warning about the age of the tables, which are not updated. A date outside them is still an
# error, which `times` reports.
iers.conf.auto_max_age = None

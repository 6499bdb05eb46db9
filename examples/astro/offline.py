"""Keeps astropy on the tables it was installed with: nothing here may wait for a network.

Imported for its effect, before astropy converts its first time. Astropy would otherwise fetch newer
leap seconds and Earth orientation as soon as its own look old.
"""

from __future__ import annotations

from astropy.utils import data, iers

data.conf.allow_internet = False
iers.conf.auto_download = False
# No warning about the age of tables that may not be renewed. A date that they do not cover is
# still an error, which `times` reports.
iers.conf.auto_max_age = None

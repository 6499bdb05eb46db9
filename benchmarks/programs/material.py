"""Material that nobody of this project wrote: the files of packages from PyPI, without their code running."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from benchmarks.registry import NotInstalled, kept

PACKAGES: Final = {"celery": "celery==5.7.0", "vega_datasets": "vega_datasets==0.9.0"}


def files_of(package: str) -> Path:
    """Return the folder of a package, unpacked once and never imported."""
    place = kept(f"material-{PACKAGES[package]}")
    if not place.exists():
        unfinished = kept(f"unfinished-{package}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
        options = ["--disable-pip-version-check", "--target", str(unfinished), PACKAGES[package]]
        try:
            subprocess.run([*pip, *options], check=True, capture_output=True)  # noqa: S603
        except subprocess.CalledProcessError as error:
            raise NotInstalled(error.stderr.decode(errors="replace")[-300:]) from error
        unfinished.rename(place)
    return place / package


def copy_of(package: str, *parts: str, to: Path) -> None:
    """Copy a file or a folder of a package."""
    source = files_of(package).joinpath(*parts)
    if source.is_dir():
        shutil.copytree(source, to)
    else:
        shutil.copyfile(source, to)

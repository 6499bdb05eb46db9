"""The ten tasks, one module for each."""

from __future__ import annotations

from typing import Final

from benchmarks.programs.task import Task
from benchmarks.programs.tasks.comments import Comments
from benchmarks.programs.tasks.history import History
from benchmarks.programs.tasks.host_logs import HostLogs
from benchmarks.programs.tasks.largest_files import LargestFiles
from benchmarks.programs.tasks.merge_requests import IssuesAndRequests
from benchmarks.programs.tasks.services import Services
from benchmarks.programs.tasks.sheet import Sheet
from benchmarks.programs.tasks.temperatures import Temperatures
from benchmarks.programs.tasks.weather import Weather
from benchmarks.programs.tasks.workbooks import Workbooks

TASKS: Final[tuple[type[Task], ...]] = (
    Weather,
    Temperatures,
    Services,
    IssuesAndRequests,
    Sheet,
    Workbooks,
    LargestFiles,
    HostLogs,
    Comments,
    History,
)

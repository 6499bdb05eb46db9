"""The job object of Windows that ends servers together with Penstock.

Windows ends all processes of a job when the last handle of the job is closed. Penstock holds the only
one, and Windows closes it however Penstock ends. Processes that a server starts belong to its job.
"""

from __future__ import annotations

import ctypes
import subprocess
import threading
from typing import Any, Final

from penstock.log import logger

_EXTENDED_LIMITS: Final = 9
_KILL_ON_CLOSE: Final = 0x2000
_starting = threading.Lock()
_job: Any = None


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _Limits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


def add_to_job(process: subprocess.Popen[bytes]) -> None:
    """Let a process end with this one. If Windows refuses, the process ends at the end of its input,
    as most servers do."""
    global _job  # noqa: PLW0603 (one for this process)
    try:
        kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]  # only there
        with _starting:
            _job = _job or _new_job(kernel)
        handle = ctypes.c_void_p(int(process._handle))  # type: ignore[attr-defined]  # noqa: SLF001 (no other way)
        if not kernel.AssignProcessToJobObject(_job, handle):
            raise OSError("AssignProcessToJobObject failed")  # noqa: TRY301 (reported like the others)
    except (OSError, AttributeError, ValueError) as error:
        logger().info("a server that ignores the end of its input may outlive us: %s", error)


def _new_job(kernel: Any) -> Any:
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
    limits = _Limits()
    limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE
    size = ctypes.sizeof(limits)
    if not kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), size):
        raise OSError("SetInformationJobObject failed")
    return job

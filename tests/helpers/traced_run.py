"""`penstock` with a trace: it writes the name of each own function that it enters to a pipe.

The arguments are the pipe and then those of `penstock`. The worker's processes are traced too. They
inherit nothing, and may open no file later, so each opens the pipe first.
"""

import os
import sys
import threading
from inspect import CO_GENERATOR
from pathlib import Path

IN_THE_CHILD = """
import sys
sys.path.append({folder!r})
from traced_run import trace_to
trace_to({pipe!r})
"""


def trace_to(pipe):
    """Write a line for each function that is entered from now on, in any thread."""
    output = os.open(pipe, os.O_WRONLY)
    generators = set()  # kept, so that no other frame gets the same identity

    def note(frame, event, _argument):
        module = frame.f_globals.get("__name__", "")
        if event != "call" or not module.startswith("penstock."):
            return
        if frame.f_code.co_flags & CO_GENERATOR:
            if frame in generators:
                return  # the generator resumes
            generators.add(frame)
        name = f"{module.removeprefix('penstock.')}.{frame.f_code.co_qualname}\n"
        os.write(output, name.encode())

    threading.setprofile(note)
    sys.setprofile(note)


def main(pipe, *arguments):
    from penstock import cli
    from penstock.worker import child

    folder = str(Path(__file__).parent)
    child.BOOT = IN_THE_CHILD.format(folder=folder, pipe=pipe) + child.BOOT
    trace_to(pipe)
    return cli.main(arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

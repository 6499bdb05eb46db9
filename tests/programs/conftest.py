"""A sandbox, and programs in it whose calls a test answers."""

import pytest
from program_rig import FEW_SECONDS, MEMORY, SCOPE, SECONDS, answered

from penstock.core.model.program import Waiting
from penstock.programs.running import Running
from penstock.programs.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    made = Sandbox(SECONDS, MEMORY)
    yield made
    made.close()


@pytest.fixture(scope="session")
def hurried_sandbox():
    made = Sandbox(FEW_SECONDS, MEMORY)
    yield made
    made.close()


@pytest.fixture
def run(sandbox):
    return runner(sandbox)


@pytest.fixture
def run_hurried(hurried_sandbox):
    return runner(hurried_sandbox)


def runner(sandbox):
    """Return a function that runs a program to its end."""

    def ran(code, helpers=None, answer=answered):
        box = sandbox.open()
        try:
            program = Running(box, code, SCOPE, helpers or {}, MEMORY)
            turn = program.start()
            while isinstance(turn, Waiting):
                turn = program.go_on([answer(call) for call in turn.calls])
            return turn
        finally:
            box.close()

    return ran

"""The pause after a server did not answer in time."""

from penstock.stores.pause import Pause


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def paused():
    clock = Clock()
    pause = Pause(3.0, clock)
    for _ in range(2):
        assert pause.admits()
        pause.note(timed_out=True)
    return pause, clock


def test_two_time_outs_in_a_row_begin_a_pause():
    pause, _ = paused()
    assert not pause.admits()


def test_one_time_out_begins_none():
    pause = Pause()
    for timed_out in (True, False, True):
        assert pause.admits()
        pause.note(timed_out=timed_out)
    assert pause.admits()


def test_after_the_pause_one_call_tries_for_all():
    pause, clock = paused()
    clock.now += 3
    assert pause.admits()
    assert not pause.admits()
    clock.now += 1_000  # The call may take long.
    assert not pause.admits()


def test_an_answer_ends_the_pause():
    pause, clock = paused()
    clock.now += 3
    assert pause.admits()
    pause.note(timed_out=False)
    assert pause.admits()
    assert pause.admits()


def test_another_time_out_begins_another_pause():
    pause, clock = paused()
    clock.now += 3
    assert pause.admits()
    pause.note(timed_out=True)
    assert not pause.admits()
    clock.now += 3
    assert pause.admits()

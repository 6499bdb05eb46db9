"""Threads that parties share by turns. The work waits for events of the test, never for a time."""

import asyncio
import threading

from penstock.core.model.cancellation import Cancellation
from penstock.core.model.turns import Party, Places
from penstock.relay.http.lanes import Lane, LaneLimits, limits_for_many, limits_for_one
from penstock.wire.kinds_of_work import KINDS

EVE, ANN = Party("eve", "1"), Party("ann", "2")
PATIENCE = 60


class Work:
    """Work that lasts until the test ends it, and notes its name when it begins."""

    def __init__(self):
        self.begun = []
        self._changed = threading.Condition()
        self._may_end = {}

    def __call__(self, name):
        self._may_end.setdefault(name, threading.Event())

        def work():
            with self._changed:
                self.begun.append(name)
                self._changed.notify_all()
            assert self._may_end[name].wait(PATIENCE)
            return name

        return work

    def wait_for(self, count):
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.begun) >= count, PATIENCE)
            return self.begun[:count]

    def end(self, *names):
        for name in names:
            self._may_end[name].set()


class Scene:
    """A lane with two threads, of which one party gets both if no other waits."""

    def __init__(self, **limits):
        self.lane = Lane("queries", LaneLimits(Places.for_anyone(2), **limits))
        self.work = Work()
        self.tasks = {}

    def begin(self, party, name, cancellation=None):
        doing = self.lane.do(party, cancellation or Cancellation(), self.work(name))
        self.tasks[name] = asyncio.create_task(doing)

    async def begun(self, count):
        """Return the first names, once so many have begun."""
        return await asyncio.to_thread(self.work.wait_for, count)

    async def close(self):
        self.work.end(*self.tasks)
        self.lane.close()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


def played(play, **limits):
    async def run():
        scene = Scene(**limits)
        try:
            async with asyncio.timeout(PATIENCE):
                await play(scene)
        finally:
            await scene.close()

    asyncio.run(run())


def test_another_party_gets_the_next_thread():
    async def play(scene):
        for number in range(10):
            scene.begin(EVE, f"eve{number}")
        await scene.begun(2)
        scene.begin(ANN, "ann")
        await asyncio.sleep(0)  # Ann waits now.
        scene.work.end("eve0")
        assert await scene.begun(3) == ["eve0", "eve1", "ann"]
        assert await scene.tasks["eve0"] == "eve0"

    played(play)


def test_cancelled_work_leaves_the_queue_at_once():
    async def play(scene):
        cancellation = Cancellation()
        for number in range(2):
            scene.begin(EVE, f"eve{number}")
        scene.begin(EVE, "unwanted", cancellation)
        await scene.begun(2)
        assert not scene.lane.has_room(EVE)
        await asyncio.to_thread(cancellation.request)
        assert await scene.tasks["unwanted"] is None
        assert scene.lane.has_room(EVE)
        assert "unwanted" not in scene.work.begun

    played(play, most_waiting=1)


def test_a_client_that_leaves_frees_its_turn_but_not_a_busy_thread():
    async def play(scene):
        for number in range(3):
            scene.begin(EVE, f"eve{number}")
        await scene.begun(2)
        scene.tasks["eve0"].cancel()  # Its thread goes on.
        scene.tasks["eve2"].cancel()  # It waits for a thread.
        await asyncio.wait({scene.tasks["eve0"], scene.tasks["eve2"]})
        scene.begin(ANN, "ann")
        await asyncio.sleep(0)
        assert len(scene.work.begun) == 2
        scene.work.end("eve0")
        assert (await scene.begun(3))[2] == "ann"

    played(play)


def test_closing_leaves_nothing_waiting():
    async def play(scene):
        stopped = Cancellation()
        scene.begin(EVE, "eve0", stopped)
        scene.begin(EVE, "eve1")
        scene.begin(EVE, "eve2")
        await scene.begun(2)
        underway = scene.lane.close()
        assert len(underway) == 2
        assert stopped.requested
        assert await scene.tasks["eve2"] is None

    played(play)


def test_a_party_leaves_threads_for_others_only_if_there_may_be_others():
    for kind in KINDS:
        alone, many = limits_for_one()[kind], limits_for_many()[kind]
        assert alone.places.of_party == alone.places.count
        assert alone.most_waiting is None
        assert 0 < many.places.of_party < many.places.of_peer < many.places.count

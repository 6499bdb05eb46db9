"""Programs that misbehave, in real child processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import psutil
import pytest

import penstock
from penstock.core.model.cancellation import Cancellation
from penstock.core.model.questions import (
    Failure,
    Limits,
    Material,
    Question,
    WorkerAnswer,
)
from penstock.worker import Workers
from penstock.worker.child import BOOT, WorkerChild
from penstock.worker.failures import CANCELLED, CLOSED, died
from penstock.worker.sandbox.main import MOST_KEPT

ROWS = tuple(b'{"id":%d,"name":"n%d"}' % (number, number) for number in range(100))
BLOCKS = (b"\n".join(ROWS[:60]), b"\n".join(ROWS[60:]))
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="no limit on memory elsewhere")
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals")


class Counted:
    """Blocks that count how often they are read."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.reads = 0

    def __iter__(self):
        self.reads += 1
        return iter(self.blocks)


def material(blocks=BLOCKS, shape="rows"):
    prefix, suffix = {"rows": (b"[", b"]"), "members": (b"{", b"}")}.get(shape, (b"", b""))
    return Material(shape, prefix, suffix, Counted(blocks))


@pytest.fixture(scope="module")
def shared():
    with_room = Workers(Limits(seconds=30.0))
    yield with_room
    with_room.close()


@pytest.fixture
def make():
    made = []

    def make(size=1, **limits):
        made.append(Workers(Limits(**limits), size))
        return made[-1]

    yield make
    for workers in made:
        workers.close()


def jq(program, key="k"):
    return Question(key, "jq", program)


def sql(program, key="k"):
    return Question(key, "sql", program)


def children(workers):
    return {child._process.pid for child in workers._children}


def is_healthy(workers, source):
    return workers.ask(jq("length"), source) == WorkerAnswer(
        (b"100",), single=True, truncated=False
    )


# Answers


def test_both_languages(shared):
    assert shared.ask(sql("SELECT name FROM result WHERE id = 99"), material()) == WorkerAnswer(
        (b'{"name":"n99"}',), single=False, truncated=False
    )
    assert shared.ask(jq(".[99].name"), material()) == WorkerAnswer(
        (b'"n99"',), single=True, truncated=False
    )
    assert shared.ask(jq(".[:2][].id"), material()) == WorkerAnswer(
        (b"0", b"1"), single=False, truncated=False
    )


def test_added_functions_need_nothing_that_the_child_gave_up(shared):
    answer = shared.ask(
        sql(
            "SELECT median(id) AS m, quantile(id, 1) AS q, stddev_pop(id - id) AS s, "
            "regexp_extract('ab', '(?P<x>b)', 'x') AS e, regexp_replace('äb', 'b', '\\g<0>c') AS r, "
            "date_trunc('week', '2026-01-02T03:04:05.6+02:00') AS d FROM result"
        ),
        material(),
    )
    assert answer.rows == ('{"m":49.5,"q":99,"s":0.0,"e":"b","r":"äbc","d":"2025-12-29"}'.encode(),)


@pytest.mark.parametrize(
    ("shape", "blocks", "document", "columns"),
    [
        ("rows", (), b"[]", b"[]"),
        ("rows", (b"",), b"[]", b"[]"),
        ("rows", (b"1\n2", b"3"), b"[1,2,3]", b'[{"value":1}]'),
        (
            "members",
            (b'"a":1\n"b":2', b'"c":3'),
            b'{"a":1,"b":2,"c":3}',
            b'[{"key":"a","value":1}]',
        ),
        ("members", (), b"{}", b"[]"),
        ("lines", (b'x "y"\n', b"z"), b'"x \\"y\\"\\n\\nz"', b'[{"line":1,"text":"x \\"y\\""}]'),
        ("lines", (b"", b""), b'"\\n"', b'[{"line":1,"text":""}]'),
        ("value", (b"[1,2]",), b"[1,2]", b'[{"c1":1,"c2":2}]'),
        ("value", (b'"x"',), b'"x"', b'[{"value":"x"}]'),
    ],
)
def test_shapes(shared, shape, blocks, document, columns):
    key = repr((shape, blocks))
    assert shared.ask(jq(".", key), material(blocks, shape)).rows == (document,)
    rows = shared.ask(sql("SELECT * FROM result LIMIT 1", key), material(blocks, shape)).rows
    assert b"[" + b",".join(rows) + b"]" == columns


def test_large_numbers_survive(shared):
    digits = b"123456789012345678901234567890"
    assert shared.ask(jq(".[0]", "digits"), material((digits,))).rows == (digits,)


def test_material_is_read_once(make):
    workers, source = make(), material()
    for _ in range(3):
        assert len(workers.ask(sql("SELECT * FROM result"), source).rows) == 100
    assert source.blocks.reads == 1
    workers.ask(sql("SELECT 1", key="other"), material())
    workers.ask(sql("SELECT 1"), source)
    assert source.blocks.reads == 1


def test_no_material_is_an_answer_and_costs_no_child(make):
    workers = make()
    assert workers.ask_holder(sql("SELECT 1")) is None
    assert not children(workers)
    workers.ask(sql("SELECT 1"), material())
    before = children(workers)
    assert workers.ask_holder(sql("SELECT 1", "other")) is None
    assert isinstance(workers.ask_holder(sql("SELECT 1")), WorkerAnswer)
    assert children(workers) == before
    assert len(before) == 1


def test_a_table_is_no_document(make):
    workers = make()
    order = Question(
        "k", "order", '{"sort":{"column":"id","descending":true},"where":[],"find":""}'
    )
    workers.ask(sql("SELECT 1"), material())
    assert isinstance(workers.ask_holder(order), WorkerAnswer)
    assert workers.ask_holder(jq("length")) is None
    assert is_healthy(workers, material())
    assert isinstance(workers.ask_holder(jq("length")), WorkerAnswer)
    assert isinstance(workers.ask_holder(sql("SELECT 1")), WorkerAnswer)


def test_without_material_nobody_takes_the_turn_of_another(make):
    workers, started, may_end = make(), threading.Event(), threading.Event()

    def blocks():
        started.set()
        assert may_end.wait(30)
        yield from BLOCKS

    def until_waiting(count):
        for _ in range(3_000):
            if workers._places.waiting >= count:
                return
            time.sleep(0.01)
        raise AssertionError("nobody waits")

    with ThreadPoolExecutor(3) as pool:
        pool.submit(workers.ask, sql("SELECT 1"), material(blocks()))
        assert started.wait(30)
        in_vain = pool.submit(workers.ask_holder, sql("SELECT 1", "other"))
        until_waiting(1)
        behind = pool.submit(is_healthy, workers, material())
        until_waiting(2)
        may_end.set()
        try:
            assert in_vain.result(60) is None
            assert behind.result(60)
        finally:
            workers.close()  # Otherwise a waiting thread would keep a failed test from ending.


def test_the_child_that_holds_the_material_is_preferred(make):
    workers, first, second = make(size=2), material(), material()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda key: workers.ask(sql("SELECT 1", key), material()), "ab"))
    for _ in range(3):
        workers.ask(sql("SELECT 1", "c"), first)
        workers.ask(sql("SELECT 1", "d"), second)
    assert (first.blocks.reads, second.blocks.reads) == (1, 1)


def test_old_material_makes_room(make):
    workers = make(memory=64_000_000)
    block = b"\n".join([b'"%b"' % (b"x" * 1_000)] * 10_000)
    sources = [material((block,)) for _ in range(8)]
    for number, source in enumerate(sources):
        assert workers.ask(sql("SELECT count(*) FROM result", str(number)), source).rows
    assert len(children(workers)) == 1
    workers.ask(sql("SELECT 1", "7"), sources[7])
    workers.ask(sql("SELECT 1", "0"), sources[0])
    assert (sources[7].blocks.reads, sources[0].blocks.reads) == (1, 2)


def test_the_parent_knows_what_a_child_has_dropped(make):
    workers, count = make(), MOST_KEPT + 10
    for number in range(count):
        workers.ask(jq(".", str(number)), material())
        workers.ask_holder(jq(".", "0"))  # A material in use stays.
    [pid] = children(workers)
    [child] = workers._children
    held = {number for number in range(count) if child.holds(jq(".", str(number)))}
    assert held == {0, *range(count - MOST_KEPT + 1, count)}
    for number in range(count):
        answer = workers.ask_holder(jq("length", str(number)))
        assert isinstance(answer, WorkerAnswer if number in held else type(None))
    assert children(workers) == {pid}


def test_several_threads_at_once(make):
    workers = make(size=2)
    with ThreadPoolExecutor(8) as pool:
        asked = [(number % 5, number) for number in range(80)]
        answers = pool.map(
            lambda pair: workers.ask(jq(f".[{pair[1]}].id", str(pair[0])), material()), asked
        )
        assert [answer.rows for answer in answers] == [(b"%d" % n,) for _, n in asked]
    assert len(children(workers)) <= 2


# Isolation


@pytest.mark.parametrize("program", ["env|length", "$ENV|length"])
def test_the_environment_is_empty(shared, monkeypatch, program):
    monkeypatch.setenv("SECRET", "x")
    assert shared.ask(jq(program), material()).rows == (b"0",)


@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits")
def test_no_file_can_be_read(shared, tmp_path):
    (tmp_path / "m.jq").write_text('def secret: "x";')
    (tmp_path / "m.json").write_text('"x"')
    search = f'{{search: "{tmp_path}"}}'
    for program in (
        f'import "m" as m {search}; m::secret',
        f'import "m" as $m {search}; $m',
        f'include "m" {search}; secret',
        f'"{tmp_path}/m" | modulemeta',
    ):
        assert isinstance(shared.ask(jq(program), material()), Failure)


@linux_only
def test_the_child_has_given_up_its_rights(make):
    workers = make(memory=100_000_000)
    assert is_healthy(workers, material())
    [pid] = children(workers)
    child = psutil.Process(pid)
    assert child.rlimit(psutil.RLIMIT_NOFILE) == (3, 3)
    assert child.rlimit(psutil.RLIMIT_FSIZE) == (0, 0)
    assert child.rlimit(psutil.RLIMIT_AS)[0] < child.memory_info().vms + 100_000_000 + 1
    assert child.num_fds() == 3
    assert child.environ() == {}
    assert child.cwd() == "/"
    assert os.getsid(pid) == pid


# Time


@pytest.mark.parametrize(
    "question",
    [
        jq("def f: f; f"),
        jq("last(range(1e12))"),
        jq("[limit(1; repeat(empty))]"),
        jq("until(false; .)"),
        sql("WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n FROM q) SELECT count(*) FROM q"),
        sql("SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac' REGEXP '^(a+)+b$'"),
        sql("SELECT regexp_extract(printf('%.*c', 50, 'a'), '^(a+)+b$')"),
        sql("SELECT regexp_replace(printf('%.*c', 50, 'a'), '^(a+)+b$', '')"),
        sql("SELECT count(*) FROM result a, result b, result c, result d, result e, result f"),
    ],
)
def test_a_loop_is_ended_and_the_child_replaced(make, question):
    workers, source = make(seconds=1.0), material()
    outcome = workers.ask(question, source)
    assert outcome.error == "The program was ended: it ran longer than 1 s."
    assert not children(workers)
    after = outcome
    while isinstance(after, Failure) and after.error == outcome.error:  # on a busy machine
        after = workers.ask(sql("SELECT 1"), source)
    assert isinstance(after, WorkerAnswer), after


def test_loading_has_a_limit_of_its_own(make):
    workers = make(seconds=0.05)

    def for_ever():
        while True:
            yield b"1"

    outcome = workers.ask(sql("SELECT 1"), material(for_ever()))
    assert outcome.error == "The result could not be loaded within 0.2 s."
    assert "path" in outcome.next_step


# Memory


@linux_only
@pytest.mark.parametrize(
    "question",
    [
        jq("[range(1e9)]"),
        jq("[range(1e10)]"),
        jq('"x" * 1e9'),
        jq('reduce range(40) as $i ("x"; . + .)'),
        jq("def f: 1 + f; f"),
        jq('range(100000) | "x" * 100000'),
        sql("SELECT hex(randomblob(10000000)) FROM result a, result b"),
        sql("SELECT DISTINCT randomblob(1000000) FROM result a, result b"),
        sql("SELECT randomblob(1000000) AS b FROM result x, result y ORDER BY b"),
    ],
)
def test_memory_runs_out(make, question):
    workers, source = make(seconds=60.0, memory=50_000_000), material()
    outcome = workers.ask(question, source)
    assert outcome.error == "The program was ended: it needed more than 50 MB of memory."
    assert is_healthy(workers, source)


@linux_only
@pytest.mark.parametrize("language", ["sql", "jq"])
def test_material_beyond_the_memory(make, language):
    workers = make(seconds=60.0, memory=20_000_000)
    blocks = (b'"%b"' % (b"x" * 1_000_000) for _ in range(100))
    outcome = workers.ask(Question("k", language, "SELECT 1"), material(blocks))
    assert "more than 20 MB" in outcome.error
    one_block = (b'"%b"' % (b"x" * 100_000_000),)
    outcome = workers.ask(Question("k", language, "SELECT 1"), material(one_block, "value"))
    assert "more than 20 MB" in outcome.error


@linux_only
def test_an_answer_may_take_more_than_half_of_the_memory(make):
    answer = make(seconds=60.0, memory=50_000_000).ask(jq('range(320) | "x" * 100000'), material())
    assert [len(row) for row in answer.rows] == [100_002] * 320


# Rows


@pytest.mark.parametrize(
    "question",
    [
        sql(
            "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q LIMIT 10000000) "
            "SELECT n FROM q"
        ),
        jq("range(1e7)"),
    ],
)
def test_too_many_rows_are_cut_and_it_is_said(make, question):
    answer = make(seconds=60.0, rows=1_000).ask(question, material())
    assert len(answer.rows) == 1_000
    assert answer.truncated


@pytest.mark.parametrize(
    "question",
    [
        sql("SELECT hex(zeroblob(50000)) FROM result a, result b"),
        jq('range(10000) | "x" * 100000'),
    ],
)
def test_too_many_bytes_are_cut_and_it_is_said(make, question):
    answer = make(seconds=60.0, answer_bytes=5_000_000).ask(question, material())
    assert answer.truncated
    assert 4_800_000 < sum(map(len, answer.rows)) <= 5_000_000


# Bad programs


@pytest.mark.parametrize(
    "question",
    [
        sql("SELECT nope FROM result"),
        sql("DELETE FROM result"),
        sql("ATTACH '/tmp/x' AS x"),
        sql("PRAGMA user_version"),
        sql("SELECT randomblob(1e9)"),
        sql("not sql"),
        jq(".["),
        jq("nope"),
        jq("error"),
        jq('"bye" | halt_error'),
        jq('import "a" as a; .'),
        jq("." + "[0]" * 4_000),
    ],
)
def test_bad_programs_fail_and_do_no_harm(shared, question):
    before = children(shared)
    outcome = shared.ask(question, material())
    assert isinstance(outcome, Failure)
    assert outcome.error
    assert outcome.next_step
    assert before <= children(shared)


def test_what_the_material_raises_comes_through(make):
    workers = make()

    def broken():
        yield b"1"
        raise OSError("the store is down")

    with pytest.raises(OSError, match="the store is down"):
        workers.ask(sql("SELECT 1"), material(broken()))
    assert not children(workers)
    with pytest.raises(ZeroDivisionError):
        workers.ask(sql("SELECT 1"), material(1 / n for n in (0,)))
    assert is_healthy(workers, material())


def test_material_that_is_not_json(make):
    workers = make()
    assert isinstance(workers.ask(sql("SELECT 1", "bad"), material((b"{oops",))), Failure)
    assert isinstance(workers.ask(jq(".", "bad"), material((b"{oops",))), Failure)
    assert is_healthy(workers, material())


# Loaded materials


def loaded_after(code):
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name for name in done.stdout.split() if name.startswith("penstock")}


def test_nothing_of_the_worker_is_loaded_before_it_is_needed():
    assert not any("worker" in name for name in loaded_after("import penstock"))


def test_the_parent_loads_none_of_the_childs_code():
    loaded = loaded_after("import penstock.worker")
    assert not any("sandbox" in name for name in loaded)
    assert "penstock.worker.sandbox.sql" in loaded_after("import penstock.worker.sandbox.main")


def test_the_child_loads_nothing_else_of_penstock():
    boot = BOOT.removesuffix("main()\n")
    folder = Path(penstock.__file__).parent
    code = f"import sys; sys.argv += [{str(folder)!r}, *sys.path]\n{boot}print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own = {name for name in done.stdout.split() if name.startswith("penstock")}
    own -= {name for name in own if name.startswith("penstock.worker")}
    folders = {"penstock", "penstock.core", "penstock.core.json", "penstock.core.model"}
    shared = {"json.alike_rows", "json.js_numbers", "model.column_names", "model.epochs"}
    shared |= {"model.questions", "model.times"}
    assert own == folders | {f"penstock.core.{name}" for name in shared}


# Life and death


def test_a_child_that_dies_between_questions(make):
    workers, source = make(), material()
    assert is_healthy(workers, source)
    [pid] = children(workers)
    psutil.Process(pid).kill()
    assert gone(pid)
    assert is_healthy(workers, source)
    assert children(workers) != {pid}


@posix
@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_a_child_that_someone_kills_during_a_question(make, how):
    """Nobody can tell who killed it, so no limit is named. The next question gets a new child."""
    workers, source = make(seconds=60.0), material()
    assert is_healthy(workers, source)
    [pid] = children(workers)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(workers.ask, jq("def f: f; f"), source)
        wait_until_busy(pid)
        os.kill(pid, getattr(signal, how))
        failed = asked.result(60)
    assert failed == died(-getattr(signal, how), Limits(seconds=60.0), "jq")
    assert "was killed" in failed.error
    assert is_healthy(workers, material())
    assert children(workers) != {pid}


@posix
@pytest.mark.parametrize("language", ["sql", "jq", "order", "chart"])
def test_a_kill_is_not_reported_as_a_limit(language):
    for how in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"):
        failed = died(-getattr(signal, how), Limits(), language)
        assert "was killed" in failed.error
        assert "short of memory" in failed.error
        assert "MB" not in failed.error
        assert "again" in failed.next_step


def wait_until_busy(pid):
    """Wait until a process works at a question: it has used some time of the processor."""
    child = psutil.Process(pid)
    before = child.cpu_times().user
    while child.cpu_times().user < before + 0.1:
        time.sleep(0.01)


def test_cancellation_kills_the_child(make):
    workers, cancellation = make(seconds=60.0), Cancellation()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(workers.ask, jq("def f: f; f"), material(), cancellation)
        while not children(workers):
            time.sleep(0.01)
        cancellation.request()
        assert asked.result() == CANCELLED
    assert not children(workers)
    assert is_healthy(workers, material())


def test_a_child_that_is_slow_to_end_keeps_nobody_waiting(make, monkeypatch):
    workers = make(size=2)
    ending, may_end = threading.Event(), threading.Event()
    end = WorkerChild.end

    def slow_end(child):
        ending.set()
        assert may_end.wait(30)
        return end(child)

    monkeypatch.setattr(WorkerChild, "end", slow_end)
    with ThreadPoolExecutor(2) as pool:
        try:
            failing = pool.submit(workers.ask, sql("SELECT 1"), material(1 / n for n in (0,)))
            assert ending.wait(60)
            assert pool.submit(is_healthy, workers, material()).result(60)
            assert not failing.done()
        finally:
            may_end.set()
        assert isinstance(failing.exception(), ZeroDivisionError)
    assert len(children(workers)) == 1


def test_cancelled_before_it_began(make):
    workers, cancellation = make(), Cancellation()
    cancellation.request()
    assert workers.ask(jq("def f: f; f"), material(), cancellation) == CANCELLED


def test_cancellation_after_the_answer_harms_nobody(make):
    workers, cancellation = make(), Cancellation()
    workers.ask(jq("."), material(), cancellation)
    before = children(workers)
    cancellation.request()
    assert is_healthy(workers, material())
    assert children(workers) == before


def test_nothing_starts_before_the_first_question(make):
    assert not children(make())


def test_close_leaves_no_orphan(make):
    workers = make(size=2, seconds=60.0)
    started = threading.Barrier(3)

    def blocks():
        started.wait()
        yield from BLOCKS

    with ThreadPoolExecutor(2) as pool:
        asked = jq("def f: f; f")
        busy = [pool.submit(workers.ask, asked, material(blocks())) for _ in range(2)]
        started.wait()
        pids = children(workers)
        workers.close()
        assert [asked.result() for asked in busy] == [CLOSED, CLOSED]
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert workers.ask(jq("."), material()) == CLOSED
    workers.close()


def test_forgotten_workers_end_their_children():
    workers = Workers()
    assert is_healthy(workers, material())
    [pid] = children(workers)
    del workers
    assert not psutil.pid_exists(pid)


def script(body):
    """Run a program with a pool of one child, whose pid the program prints first."""
    head = """
        import os, sys, threading, time
        from penstock.core.model.questions import Limits, Material, Question
        from penstock.worker import Workers
        workers = Workers(Limits(seconds=3.0))
        material = Material("value", b"", b"", [b"1"])
        ask = lambda program: workers.ask(Question("k", "jq", program), material)
        ask(".")
        [child] = workers._children
        print(child._process.pid, flush=True)
    """
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(body)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def gone(pid):
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    "end",
    [
        "",
        "sys.exit(3)",
        "os._exit(3)",
        "os.kill(os.getpid(), 9)",
        # The program is killed while the child is busy: the child's own alarm ends it.
        """
        threading.Thread(target=ask, args=("def f: f; f",), daemon=True).start()
        time.sleep(0.3)
        os._exit(3)
        """,
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_no_orphan_after_the_parent(end):
    assert gone(int(script(end).stdout))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_forked_process_has_children_of_its_own():
    done = script("""
        pid = os.fork()
        same = ask("2").rows == (b"2",) and list(workers._children) == [child]
        if pid:
            print(os.waitpid(pid, 0)[1], same, ask("3").rows)
        else:
            os._exit(same)
    """)
    assert done.stdout.splitlines()[1:] == ["0 True (b'3',)"], done.stderr


def test_further_tables_are_loaded_in_the_same_child(shared):
    further = (
        Material("lines", b"", b"", (b"one\ntwo", b"three"), "words"),
        Material("rows", b"[", b"]", (), "empty"),
        Material("members", b"{", b"}", (b'"a":{"x":1}\n"b":{"x":2}',), "alike"),
    )
    joined = msgspec.structs.replace(material(), beside=further)
    statement = """SELECT id, text, key, (SELECT count(*) FROM empty) AS n FROM result
        JOIN words ON line = id JOIN alike ON x = id ORDER BY id"""
    question = Question("joined", "sql", statement)
    answer = shared.ask(question, joined)
    assert answer.rows == (
        b'{"id":1,"text":"one","key":"a","n":0}',
        b'{"id":2,"text":"two","key":"b","n":0}',
    )
    assert shared.ask_holder(question) == answer


@linux_only
def test_the_pipe_to_a_child_holds_more_than_usual():
    from fcntl import F_GETPIPE_SZ, fcntl

    child = WorkerChild()
    try:
        assert fcntl(child._stdin.fileno(), F_GETPIPE_SZ) >= 1_000_000
    finally:
        child.kill()
        child.end()

"""The reader of server-sent events, compared with that of httpx2."""

from itertools import pairwise

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.relay.http.event_reader import EventReader, EventTooLarge
from penstock.relay.http.events import Event

MANY = 1_000_000
PIECES = st.sampled_from(
    [
        *(b"data:", b"data: ", b"data", b"id: 7", b"id:\0", b"id: ", b"retry: 30", b"retry: x"),
        *(b"event: message", b"other: 1", b": comment", b":", b" ", b"{}", b"caf\xc3\xa9", b"\xff"),
        *(b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r\r"),
    ]
)
# The comment ends the stream with a whole line: httpx2 returns an event whose end is missing after CR.
STREAMS = st.lists(PIECES, max_size=40).map(lambda pieces: b"".join([*pieces, b"\n:\n"]))


def read(stream, cuts=(), most=MANY):
    reader = EventReader(most)
    places = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    parts = [stream[start:end] for start, end in pairwise(places)]
    return [event for part in parts for event in reader.feed(part)]


def read_by_httpx(stream):
    request = httpx2.Request("GET", "http://127.0.0.1/")
    kind = {"content-type": "text/event-stream; charset=latin-1"}
    response = httpx2.Response(200, headers=kind, content=stream, request=request)
    return [
        Event(
            event.data.encode("latin-1"),
            event.id.encode("latin-1").decode("utf-8", "replace"),
            event.retry,
        )
        for event in httpx2.EventSource(response, max_event_size=MANY)
    ]


@given(STREAMS, st.lists(st.integers(0, 500), max_size=6))
def test_events_are_those_of_another_reader_wherever_the_stream_is_cut(stream, cuts):
    assert read(stream, cuts) == read_by_httpx(stream)


def test_an_event_arrives_as_soon_as_its_last_line_has_ended():
    reader = EventReader(MANY)
    assert reader.feed(b"data: 1\r\n\r") == [Event(b"1")]
    assert reader.feed(b"\ndata: 2\r\n\r\n") == [Event(b"2")]


def test_an_event_whose_end_is_missing_is_none():
    assert read(b"data: 1\r\rdata: 2\r") == [Event(b"1")]


def test_a_byte_order_mark_is_no_part_of_the_first_line():
    mark = "\ufeff".encode()
    assert read(mark + b"data: 1\n\ndata: 2\n\n", cuts=[1, 2]) == [Event(b"1"), Event(b"2")]


@pytest.mark.parametrize("end", [b"\n\n", b"\n", b""])
def test_an_event_over_the_limit_is_refused_before_it_is_whole(end):
    assert read(b"data: 12\n\n" * 9, most=8) == [Event(b"12")] * 9
    with pytest.raises(EventTooLarge):
        read(b"data: 123" + end, cuts=range(9), most=8)
    with pytest.raises(EventTooLarge):
        read(b"data: 1\ndata: 2" + end, most=8)


def test_a_retry_time_may_have_any_number_of_digits():
    assert read(b"retry: " + b"9" * 5_000 + b"\n\n")[0].retry > 0

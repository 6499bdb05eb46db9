"""The identity of a caller that has not logged in."""

from penstock.gate.identity import new_session_name, os_user


def test_the_user_of_this_machine_is_the_same_each_time_and_a_session_is_not():
    assert os_user() == os_user()
    assert new_session_name() != new_session_name()

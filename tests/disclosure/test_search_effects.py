"""The effects of tools, and those that a query asks for."""

import pytest

from penstock.disclosure.search.effects import QueryIntent, ToolEffect, effect_of


@pytest.mark.parametrize(
    ("name", "hints", "effect"),
    [
        ("list-deleted-items", {}, ToolEffect.READS),
        ("get_delete_rules", {}, ToolEffect.READS),
        ("Mail_deleteMessageV1", {}, ToolEffect.REMOVES),
        ("prune", {"readOnlyHint": True}, ToolEffect.READS),
        ("item_list_update", {}, ToolEffect.WRITES),
        ("jira_create_issue", {}, ToolEffect.WRITES),
        ("crawl", {"readOnlyHint": False}, ToolEffect.UNKNOWN),
        ("issue", {}, ToolEffect.UNKNOWN),
        ("", {}, ToolEffect.UNKNOWN),
    ],
)
def test_the_effect_of_a_tool(name, hints, effect):
    assert effect_of(name, hints) is effect


def test_only_the_first_word_of_a_query_can_be_a_verb_that_reads():
    assert QueryIntent(["list", "item"]).worth_of(ToolEffect.WRITES) < 1
    assert QueryIntent(["share", "list"]).worth_of(ToolEffect.WRITES) == 1
    assert QueryIntent([]).worth_of(ToolEffect.REMOVES) < 1

"""Tools are found by plain requests."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.disclosure.search.index import Hit, Parameter, Searchable, SearchIndex

# One tool on each line: name | description | parameters, each with its description and choices.
CATALOGUE = """
read_file | Read the complete contents of a file as text. Fails for files that are not UTF-8. | path: Where the file is; head: Only the first lines; tail: Only the last lines
read_media_file | Read an image or audio file. Returns base64 data and its MIME type. | path
write_file | Create a new file or completely overwrite an existing one. Use with caution. | path; content: What to write
edit_file | Make line-based edits to a text file. Each edit replaces exact lines with new content, and a git-style diff is returned. | path; edits; dryRun: Preview the changes
create_directory | Create a new directory, or make sure that it exists. Nested ones are made in one go. | path
list_directory | List the files and directories in a path, marked [FILE] or [DIR]. | path
directory_tree | Get a recursive tree of files and directories as JSON. | path; excludePatterns
move_file | Move or rename files and directories. Fails if the destination exists. | source; destination
search_files | Recursively search for files and directories whose names match a pattern. | path; pattern; excludePatterns
get_file_info | Retrieve metadata about a file: size, creation time, last modified time, permissions. | path
delete_file | Delete a file for good. There is no trash. | path
git_status | Shows the working tree status. | repo_path
git_diff_unstaged | Shows changes in the working directory that are not yet staged. | repo_path; context_lines
git_diff_staged | Shows changes that are staged for commit. | repo_path; context_lines
git_commit | Records changes to the repository. | repo_path; message
git_add | Adds file contents to the staging area. | repo_path; files
git_reset | Unstages all staged changes. | repo_path
git_log | Shows the commit logs. | repo_path; max_count; start_timestamp
git_create_branch | Creates a new branch from an optional base branch. | repo_path; branch_name; base_branch
git_checkout | Switches branches. | repo_path; branch_name
git_show | Shows the contents of a commit. | repo_path; revision
create_issue | Open a new issue in a repository. | owner; repo; title; body; labels; assignees
get_issue | Get the details of one issue. | owner; repo; issue_number
update_issue | Edit an existing issue: its title, body, labels or state. | owner; repo; issue_number; state: New state [open, closed]; labels
list_issues | List the issues of a repository, filtered by state, labels or date. | owner; repo; state: Which ones [open, closed, all]; sort [created, updated, comments]
search_issues | Search issues and pull requests over all repositories. | q: Search syntax of GitHub; sort
add_issue_comment | Add a comment to an issue. | owner; repo; issue_number; body
create_pull_request | Open a pull request from a branch. | owner; repo; title; head: The branch with the changes; base: The branch to merge into; draft
merge_pull_request | Merge a pull request. | owner; repo; pull_number; merge_method: How [merge, squash, rebase]
get_pull_request_files | List the files that a pull request changes. | owner; repo; pull_number
create_pull_request_review | Review a pull request: approve it, request changes or comment. | owner; repo; pull_number; event: Verdict [APPROVE, REQUEST_CHANGES, COMMENT]
fork_repository | Fork a repository to your account or an organization. | owner; repo; organization
run_query | Run a read-only SQL query against the database and return the rows. | sql: A SELECT statement; limit
execute_statement | Execute an INSERT, UPDATE or DELETE statement. | sql; parameters
list_tables | List all tables of the database with their row counts. | schema
describe_table | Show the columns, types and indexes of a table. | table
create_table | Create a table from a list of columns. | table; columns
export_table | Export a table as CSV, JSON or Parquet. | table; format: File format [csv, json, parquet]; path
backup_database | Make a backup of the whole database. | destination
explain_query | Show the execution plan of a query, to find out why it is slow. | sql; analyze
calendar.listEvents | List events of a calendar between two times. | calendarId; timeMin; timeMax; maxResults
calendar.createEvent | Create an event and invite attendees. | calendarId; summary; start; end; attendees: Email addresses; location
calendar.updateEvent | Change the time, place or attendees of an event. | calendarId; eventId; start; end
calendar.deleteEvent | Remove an event from a calendar and tell its attendees. | calendarId; eventId
calendar.findFreeTime | Find slots in which all of several people are free. | people: Email addresses; duration; within
calendar.respondToInvitation | Accept or decline an invitation. | eventId; response: Your answer [accepted, declined, tentative]
send_email | Send an email. | to: Recipients; cc; bcc; subject; body; attachments
draft_email | Write an email and keep it as a draft without sending it. | to; subject; body
search_emails | Search the mailbox with the query syntax of Gmail. | query; max_results
read_email | Read one email with its headers and attachments. | message_id
reply_to_email | Reply to an email in its thread. | message_id; body; reply_all
modify_email_labels | Add or remove labels of an email, to archive it, star it or mark it as read. | message_id; add_labels; remove_labels
download_attachment | Save an attachment of an email to disk. | message_id; attachment_id; folder
get_current_weather | Current weather at a place: temperature, wind, humidity. | location; units [metric, imperial]
get_forecast | Weather forecast for the coming days. | location; days: 1 to 16
get_weather_alerts | Active warnings of storms, floods and heat for a region. | region
get_air_quality | Air quality index and pollen at a place. | location
browser_navigate | Navigate to a URL. | url
browser_click | Perform click on a web page. | element: What to click on, in words; ref; doubleClick
browser_type | Type text into an editable element. | element; ref; text; submit: Press Enter after
browser_fill_form | Fill several fields of a form at once. | fields
browser_take_screenshot | Take a screenshot of the current page. | type [png, jpeg]; fullPage; filename
browser_snapshot | Capture an accessibility snapshot of the current page. This is better than a screenshot. |
browser_select_option | Select an option in a dropdown. | element; ref; values
browser_press_key | Press a key on the keyboard. | key: ArrowLeft, Enter or a
browser_wait_for | Wait for text to appear or disappear, or for a time to pass. | time; text; textGone
browser_console_messages | Returns all console messages. | onlyErrors
browser_network_requests | Returns all network requests since the page was loaded. |
browser_handle_dialog | Accept or dismiss a dialog. | accept; promptText
browser_close | Close the page. |
"""

REQUESTS = {
    "show me the file config.yaml": "read_file",
    "open a picture from disk": "read_media_file",
    "overwrite a file with new content": "write_file",
    "change a few lines in a source file": "edit_file",
    "make a new folder": "create_directory",
    "which files are in this folder": "list_directory",
    "folder structure, recursive": "directory_tree",
    "rename a file": "move_file",
    "find files by name pattern": "search_files",
    "how big is this file and when was it modified": "get_file_info",
    "remove a file": "delete_file",
    "uncommitted changes that are not staged": "git_diff_unstaged",
    "commit my changes": "git_commit",
    "history of commits": "git_log",
    "switch to another branch": "git_checkout",
    "start a new branch": "git_create_branch",
    "file a bug report": "create_issue",
    "close an issue": "update_issue",
    "what are the open issues": "list_issues",
    "comment on a ticket": "add_issue_comment",
    "open a PR": "create_pull_request",
    "squash and merge": "merge_pull_request",
    "approve the pull request": "create_pull_request_review",
    "which files did the pull request touch": "get_pull_request_files",
    "run a SELECT on the database": "run_query",
    "insert rows with SQL": "execute_statement",
    "what tables are there": "list_tables",
    "column types of the users table": "describe_table",
    "save table as parquet": "export_table",
    "why is my query slow": "explain_query",
    "book a meeting with Ana": "calendar.createEvent",
    "cancel the meeting on Friday": "calendar.deleteEvent",
    "move my appointment to another time": "calendar.updateEvent",
    "when are we all free": "calendar.findFreeTime",
    "decline an invitation": "calendar.respondToInvitation",
    "mail the report to Bob": "send_email",
    "look for emails from my landlord": "search_emails",
    "answer that mail": "reply_to_email",
    "mark message as read": "modify_email_labels",
    "download the attached pdf": "download_attachment",
    "how warm is it in Lisbon, current temperature": "get_current_weather",
    "will it rain tomorrow, forecast": "get_forecast",
    "storm warning": "get_weather_alerts",
    "pollen count": "get_air_quality",
    "go to a url": "browser_navigate",
    "click on the login button": "browser_click",
    "fill in the registration form": "browser_fill_form",
    "screenshot of the whole page": "browser_take_screenshot",
    "choose from a dropdown": "browser_select_option",
    "javascript errors in the console": "browser_console_messages",
}


def parameter(text):
    """Read a parameter from `name: description [choice, choice]`."""
    text, _, choices = text.partition("[")
    name, _, description = text.partition(":")
    given = tuple(choice.strip() for choice in choices.strip(" ]").split(",") if choice.strip())
    return Parameter(name.strip(), description.strip(), given)


def tool(line):
    name, description, parameters = (part.strip() for part in line.split("|"))
    return Searchable(
        name,
        description=description,
        parameters=tuple(parameter(each) for each in parameters.split(";") if each.strip()),
    )


TOOLS = [tool(line) for line in CATALOGUE.strip().splitlines()]
INDEX = SearchIndex(TOOLS)


def names(query, most=10, index=INDEX):
    return [hit.name for hit in index.find(query, most)]


def placed(most):
    """Return the share of requests whose tool is among the first `most`."""
    return sum(name in names(query, most) for query, name in REQUESTS.items()) / len(REQUESTS)


def test_plain_requests_find_their_tool():
    assert placed(1) >= 0.9
    assert placed(5) >= 0.97


@pytest.mark.parametrize("one", TOOLS, ids=lambda one: one.name)
def test_a_tool_is_found_by_its_own_name(one):
    in_words = one.name.replace("_", " ").replace(".", " ")
    in_camels = in_words.title().replace(" ", "") if one.name.islower() else one.name
    for query in (one.name, one.name.upper(), in_words, in_camels, f"please call {one.name}"):
        assert names(query)[0] == one.name, query


@pytest.mark.parametrize("query", ["", " ", "\n", "?!", "_", "\ud800", "🙂", "zzzqqq", "of the"])
def test_nothing_is_found_by_nothing(query):
    assert INDEX.find(query) == []


def test_an_empty_catalogue():
    assert SearchIndex([]).find("list files") == []


def test_a_hit_says_which_and_how_well():
    hits = INDEX.find("delete a file")
    assert all(isinstance(hit, Hit) for hit in hits)
    assert [TOOLS[hit.position].name for hit in hits] == [hit.name for hit in hits]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[-1].score > 0


@pytest.mark.parametrize("most", [0, 1, 3, 1000])
def test_no_more_than_asked_for(most):
    everything = INDEX.find("file", 1000)
    assert len(everything) > 3
    assert INDEX.find("file", most) == everything[:most]


def test_where_a_word_stands_counts():
    fields = [
        Searchable("a", parameters=(Parameter("x", "about kiwi"),)),
        Searchable("b", parameters=(Parameter("kiwi"),)),
        Searchable("c", description="Something. And kiwi."),
        Searchable("d", description="Something kiwi. And more."),
        Searchable("get_kiwi"),
        Searchable("f", title="A kiwi"),
        Searchable("e", parameters=(Parameter("x", choices=("kiwi", "fig")),)),
    ]
    found = names("kiwi", index=SearchIndex(fields))
    assert found[0] == "get_kiwi"
    assert set(found[1:3]) == {"d", "f"}
    assert set(found) == {one.name for one in fields}


@pytest.mark.parametrize(
    ("description", "in_the_first"),
    [
        ("Reads figs, e.g. kiwi. And more.", True),
        ("Version 1.2 of kiwi", True),
        ("Reads figs. As kiwi.", False),
        ("Reads figs\n\nkiwi", False),
        ("Reads\nkiwi", True),
        ("Reads figs。kiwi", False),
    ],
)
def test_the_first_sentence_counts_more(description, in_the_first):
    index = SearchIndex(
        [Searchable("other", description="Of nothing."), Searchable("x", "", description)]
    )
    (hit,) = index.find("kiwi")
    assert (hit.score > 0.2) == in_the_first


def test_the_word_itself_comes_before_a_related_one():
    index = SearchIndex(
        [Searchable(f"{verb}_note") for verb in ("create", "remove", "delete", "erase")]
    )
    assert names("delete note", index=index)[0] == "delete_note"
    assert names("erase note", index=index)[0] == "erase_note"
    assert set(names("drop", index=index)) == {"remove_note", "delete_note", "erase_note"}


@pytest.mark.parametrize(
    "queries",
    [
        ("merge pull request", "merge_pull_request", "MergePullRequest", "merging pull-requests"),
        ("create file", "creating files", "created the file", "CREATE_FILE"),
        ("query", "queries", "querying", "queried"),
        ("calendar event", "calendar events", "\uff43alendar event"),
    ],
)
def test_ways_to_write_the_same(queries):
    assert len({names(query)[0] for query in queries}) == 1


def test_a_brand_is_not_cut_in_parts():
    index = SearchIndex([Searchable("star", description="Star on GitHub."), Searchable("git_log")])
    assert names("git status", index=index) == ["git_log"]
    assert names("github", index=index) == ["star"]


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("listPDFs", "list pdf"),
        ("parseHTTPResponse", "http response"),
        ("GitHubSearch", "github"),
        ("s3.put", "s3"),
        ("base64_encode", "base64"),
        ("file-system/stat", "filesystem"),
        ("whoami", "who am i"),
        ("who_am_i", "who am I?"),
        ("sqlite", "sql"),
        ("get_stacktrace", "stack trace"),
    ],
)
def test_names_are_split_and_joined(name, query):
    index = SearchIndex([*TOOLS[:10], Searchable(name)])
    assert names(query, index=index)[0] == name


def test_the_last_word_may_be_unfinished():
    assert names("list cal")[0] == "calendar.listEvents"
    assert names("browser screensh")[0] == "browser_take_screenshot"
    assert names("weath alerts") == names("alerts")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("screnshot", "browser_take_screenshot"),
        ("screenshhot", "browser_take_screenshot"),
        ("screenhsot", "browser_take_screenshot"),
        ("wether forecsat", "get_forecast"),
        ("atachment download", "download_attachment"),
        ("fork repositroy", "fork_repository"),
    ],
)
def test_one_typo_in_a_long_word(query, name):
    assert names(query)[0] == name


def test_no_typo_is_seen_in_short_words_or_known_ones():
    index = SearchIndex([Searchable("cart"), Searchable("contract"), Searchable("contrast")])
    assert names("carp", index=index) == []
    assert names("contract", index=index) == ["contract"]


def test_all_words_count_more_than_one():
    """This holds although `cancel` is rare here, and no tool for events has it."""
    verbs = ("list", "update", "delete", "share", "copy", "move", "import", "export")
    events = [Searchable(f"{verb}_event") for verb in verbs]
    others = [Searchable(f"other{number}") for number in range(11)]
    index = SearchIndex([Searchable("cancel_order"), *events, *others])
    assert names("cancel the event", index=index)[0] == "delete_event"


ACTIONS = ("list", "retrieve", "create", "update", "partial_update", "destroy")
REST = SearchIndex(
    [
        Searchable(f"plant_{noun}_{action}", "", f"{noun.capitalize()}s of the plant.")
        for noun in ("pump", "valve")
        for action in ACTIONS
    ]
)
MEANT = {
    "delete": ["destroy"],
    "remove": ["destroy"],
    "change": ["update", "partial_update"],
    "edit": ["update", "partial_update"],
    "modify": ["update", "partial_update"],
    "add": ["create"],
    "new": ["create"],
}


@pytest.mark.parametrize(("verb", "actions"), MEANT.items(), ids=MEANT)
def test_actions_of_a_rest_api_are_found_by_everyday_verbs(verb, actions):
    hits = REST.find(f"{verb} a valve", len(actions))
    assert {hit.name for hit in hits} == {f"plant_valve_{action}" for action in actions}


def test_a_related_word_is_no_rarer_than_the_common_one():
    mails = [Searchable(f"{verb}_email") for verb in ("read", "send", "list", "sort", "star")]
    index = SearchIndex([Searchable("message"), *mails])
    best = {query: index.find(query)[0].score for query in ("mail", "email")}
    assert best["mail"] < best["email"]


def test_a_long_description_changes_nothing_for_others():
    short, long = (Searchable("x", description="Do it. " + "blah " * n) for n in (9, 20_000))
    assert names("trash") == ["delete_file"]
    assert SearchIndex([*TOOLS, long]).find("trash") == SearchIndex([*TOOLS, short]).find("trash")


@pytest.mark.parametrize(
    ("description", "query"),
    [
        ("读取文件的内容", "文件"),
        ("读取文件的内容", "读"),
        ("カレンダーの予定を作成する", "予定"),
        ("이메일을 보냅니다", "이메일"),
        ("อ่านไฟล์ทั้งหมด", "ไฟล์"),
        ("قراءة محتويات الملف", "محتويات"),
        ("קריאת תוכן הקובץ", "תוכן"),
        ("फ़ाइल की सामग्री पढ़ें", "सामग्री"),
        ("Прочитать содержимое файла", "СОДЕРЖИМОЕ"),
        ("Öffnet die Übersicht", "übersicht"),
        ("Cafe\u0301 finden", "café"),
        ("①番のＡＢＣ", "abc"),
        ("a\ud800broken text\udfff", "broken"),
        ("🙂 smile 🙃", "smile"),
    ],
)
def test_any_script(description, query):
    index = SearchIndex([*TOOLS, Searchable("tool", description=description)])
    assert names(query, index=index) == ["tool"]


def test_ties_go_by_the_order_of_the_catalogue():
    index = SearchIndex([Searchable("same", description="One thing.") for _ in range(30)])
    assert [hit.position for hit in index.find("thing", 7)] == list(range(7))


def test_the_order_does_not_hang_on_hashes():
    """The hashes of strings differ between processes."""
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import test_search as here\n"
        "print([here.INDEX.find(query) for query in [*here.REQUESTS, 'screnshot', 'co']])\n"
    )
    replies = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(replies) == 1


@pytest.mark.parametrize(
    "text",
    [
        "word soup " * 10_000,
        "a" * 100_000,
        "aB" * 50_000,
        "a_" * 50_000,
        "\u0301\u0327" * 50_000,
        "文" * 100_000,
        "." * 100_000,
        "\n" * 100_000,
        "\ud800" * 100_000,
        "ﷺ" * 5_000,
    ],
    ids=lambda text: ascii(text[:2]),
)
def test_long_texts_are_survived_and_hide_nothing(text):
    long = Searchable(text, text, text, (Parameter(text, text, (text,)),))
    index = SearchIndex([*TOOLS, long, Searchable("last", description=f"{text} kumquat")])
    assert names("kumquat", index=index) == ["last"]
    assert names("get the forecast", index=index)[0] == "get_forecast"
    index.find(text)


def test_only_the_first_words_of_a_long_question_count():
    filler = " ".join(f"filler{number}" for number in range(31))
    assert names(f"{filler} screenshot")[0] == "browser_take_screenshot"
    assert names(f"{filler} another1 screenshot") == []
    assert names("dropdown " * 100_000)[0] == "browser_select_option"


def test_any_characters():
    rng = random.Random(7)
    texts = ["".join(chr(rng.randrange(0x11_0000)) for _ in range(60)) for _ in range(200)]
    texts += ["".join(rng.choices("aZ9_-. 文é\u0301\ud800\u200f", k=40)) for _ in range(200)]
    index = SearchIndex([Searchable(text, text, text, (Parameter(text, text),)) for text in texts])
    for text in texts:
        hits = index.find(text)
        assert not hits or hits[0].score > 0

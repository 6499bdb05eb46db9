"""The members of rows that a format names itself: SQL takes each without quotes."""

from __future__ import annotations

import sqlite3

import pytest
from read_texts import read

DIFF = """\
diff --git a/old.sh b/new.sh
old mode 100644
new mode 100755
similarity index 90%
rename from old.sh
rename to new.sh
--- a/old.sh
+++ b/new.sh
@@ -1 +1 @@ head
-a
+b
diff --git a/x.png b/x.png
index 0123456..89abcde 100644
Binary files a/x.png and b/x.png differ
Index: a.txt
===================================================================
--- a.txt\t(revision 12)
+++ a.txt\t(working copy)
@@ -1 +1 @@
-b
+c

Property changes on: a.txt
___________________________________________________________________
Added: svn:eol-style
## -0,0 +1 ##
+native
"""
LOG = """\
commit 0123456789 89abcdef01 (HEAD -> main)
Merge: 0123456 89abcde
Reflog: HEAD@{0} (Ann <a@b>)
Reflog message: commit: Mend
Author:     Ann <a@b>
AuthorDate: Fri Jan 2 12:00:00 2026 +0100
Commit:     Zoë <z@b>
CommitDate: Fri Jan 2 12:00:00 2026 +0100

    Mend the door

Notes:
    seen

 door.py | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/door.py b/door.py
index 0123456..89abcde 100644
--- a/door.py
+++ b/door.py
@@ -1 +1 @@
-a
+b
"""
TAP = """\
TAP version 13
1..3
ok 1 - adds
not ok 2 - fails
  ---
  message: boom
  ...
hello
ok 3 - is skipped # SKIP no network
"""
PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.0.0, pluggy-1.4.0
collected 2 items

test_a.py::test_error ERROR                                              [ 50%]
test_a.py::test_skipped SKIPPED (not now)                                [100%]

==================================== ERRORS ====================================
_________________________ ERROR at setup of test_error _________________________

    def broken():
>       raise RuntimeError("no database")
E       RuntimeError: no database

test_a.py:7: RuntimeError
=============================== warnings summary ===============================
test_a.py:9: UserWarning: careful
=========================== short test summary info ============================
SKIPPED [1] test_a.py:9: not now
ERROR test_a.py::test_error - RuntimeError: no database
===================== 1 skipped, 1 warning, 1 error in 0.02s ===================
"""
TEXTS = {
    "diff": (DIFF, {"old_file", "old_mode", "new_mode", "binary", "properties"}),
    "git log": (LOG * 2, {"hash", "parents", "merge", "refs", "reflog", "notes", "files", "diff"}),
    "tap": (TAP, {"directive", "diagnostics", "output"}),
    "pytest": (PYTEST, {"part", "phase", "count", "line", "message", "title"}),
}


@pytest.mark.parametrize("name", TEXTS)
def test_sql_takes_each_name_without_quotes(name):
    text, expected = TEXTS[name]
    found = read(text)
    assert found.format == name
    names = sorted({member for row in found.rows for member in row})
    assert expected <= {*names}
    database = sqlite3.connect(":memory:")
    quoted = ", ".join(f'"{one}"' for one in names)
    database.execute(f"CREATE TABLE result ({quoted})")
    for one in names:
        database.execute(f"SELECT {one} FROM result WHERE {one} IS NULL ORDER BY {one}")  # noqa: S608 (our names)
    database.close()

"""Test that ``apply_patch`` makes exactly the changes of a patch."""

import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from openkoi_hookspecs import ToolCall, ToolResult
from openkoi_tools import WorkspaceTools
from openkoi_tools.read_replay import replay_reads

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Bench, Hands

CODE = "def login(user):\n    if user:\n        return True\n    return False\n"
DIFF = """\
--- a/a.py
+++ b/a.py
@@ -1,4 +1,4 @@
 def login(user):
     if user:
-        return True
+        return user.ok
     return False
"""
EDITED = CODE.replace("True", "user.ok")


def test_a_unified_diff_is_applied(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)

    assert "Edited a.py, line 3." == hands.use("apply_patch", patch=DIFF).text
    assert EDITED == file.read_text()


def test_a_patch_without_line_numbers_is_applied(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)
    patch = """\
*** Begin Patch
*** Update File: a.py
@@ def login(user):
     if user:
-        return True
+        return user.ok
*** End Patch"""

    assert "Edited a.py, line 3." == hands.use("apply_patch", patch=patch).text
    assert EDITED == file.read_text()


@pytest.mark.parametrize(
    "data",
    [
        CODE.replace("\n", "\r\n").encode(),
        CODE.replace("\n", "\r").encode(),
        CODE.replace(":\n", ":\r\n").encode(),
        CODE.rstrip("\n").encode(),
        b"\xef\xbb\xbf" + CODE.encode(),
        b"# caf\xe9\n" + CODE.encode(),
        b"# \0\n" + CODE.encode(),
        ("\ufeff" + CODE).encode("utf-16-le"),
    ],
    ids=["crlf", "cr", "mixed", "no-end", "bom", "latin-1", "nul", "utf-16"],
)
def test_every_byte_outside_the_changed_lines_stays(hands: "Hands", data: bytes) -> None:
    file = hands.have_read("a.py", data)
    wide = data.startswith(b"\xff\xfe")
    old, new = (text.encode("utf-16-le" if wide else "utf-8") for text in ("True", "user.ok"))

    assert not hands.use("apply_patch", patch=DIFF).failed
    assert data.replace(old, new) == file.read_bytes()


def test_context_lines_keep_bytes_that_no_patch_could_write(hands: "Hands") -> None:
    file = hands.have_read("a.txt", b"one\ncaf\xe9 \xc3\xa9\xc3\xa9\xc3\xa9\ntwo\n")
    text = hands.use("read_file", path="a.txt").text.split("2|")[1].split("\n")[0]

    hands.use("apply_patch", patch=f"--- a/a.txt\n+++ b/a.txt\n@@ @@\n-one\n+1\n {text}\n-two\n+2\n")

    assert b"1\ncaf\xe9 \xc3\xa9\xc3\xa9\xc3\xa9\n2\n" == file.read_bytes()


def test_several_files_are_added_changed_moved_and_deleted_at_once(hands: "Hands") -> None:
    hands.have_read("a.py", CODE)
    hands.have_read("old.txt", "bye\n")
    hands.have_read("here.txt", "one\ntwo\n")
    patch = """\
*** Begin Patch
*** Add File: new/deep.txt
+hello
+
+world
*** Update File: a.py
@@
-    return False
+    return None
*** Update File: here.txt
*** Move to: there.txt
@@
-two
+2
*** Delete File: old.txt
*** End Patch
"""

    answer = hands.use("apply_patch", patch=patch)

    assert [
        "Patched 4 files:",
        "Added new/deep.txt, 3 lines.",
        "Edited a.py, line 4.",
        "Edited here.txt, line 2.",
        "Moved here.txt to there.txt.",
        "Deleted old.txt.",
    ] == answer.text.split("\n")
    assert {
        "a.py": CODE.replace("False", "None"),
        "new/deep.txt": "hello\n\nworld\n",
        "there.txt": "one\n2\n",
    } == hands.contents()


def test_what_git_says_of_new_deleted_and_renamed_files_and_modes_is_done(hands: "Hands") -> None:
    hands.have_read("old.txt", "bye\n").chmod(0o644)
    hands.have_read("was.txt", "one\n").chmod(0o640)
    hands.have_read("run.sh", "echo\n").chmod(0o644)
    patch = """\
diff --git a/new file.sh b/new file.sh
new file mode 100755
index 0000000..ce01362
--- /dev/null
+++ b/new file.sh\t
@@ -0,0 +1 @@
+echo hello
\\ No newline at end of file
diff --git a/empty.txt b/empty.txt
new file mode 100644
index 0000000..e69de29
diff --git a/old.txt b/old.txt
deleted file mode 100644
index b023018..0000000
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/was.txt b/"caf\\303\\251.txt"
similarity index 100%
rename from was.txt
rename to "caf\\303\\251.txt"
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
"""

    answer = hands.use("apply_patch", patch=patch)

    assert not answer.failed, answer.text
    assert {"new file.sh": "echo hello", "empty.txt": "", "café.txt": "one\n", "run.sh": "echo\n"} == hands.contents()
    assert [True, False, True] == [is_program(hands, name) for name in ("new file.sh", "empty.txt", "run.sh")]
    assert 0o640 == stat.S_IMODE((hands.workspace / "café.txt").stat().st_mode)


def test_when_lines_were_added_above_all_numbers_are_read_as_moved(hands: "Hands") -> None:
    file = hands.have_read("a.txt", "new\nnew\none\na\nb\na\nb\na\nb\n")
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n@@ -4,2 +4,2 @@\n a\n-b\n+c\n"

    assert "Edited a.txt in 2 places, the first at line 3." == hands.use("apply_patch", patch=patch).text
    assert "new\nnew\n1\na\nb\na\nc\na\nb\n" == file.read_text()


def test_a_heading_tells_which_of_several_places_is_meant(hands: "Hands") -> None:
    file = hands.have_read("a.py", "def a():\n    pass\n\ndef b():\n    pass\n\ndef c():\n    pass\n")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@ def b():\n-    pass\n+    return 1\n*** End Patch"

    assert "Edited a.py, line 5." == hands.use("apply_patch", patch=patch).text
    assert "def a():\n    pass\n\ndef b():\n    return 1\n\ndef c():\n    pass\n" == file.read_text()


def test_the_end_of_the_file_can_be_meant(hands: "Hands") -> None:
    file = hands.have_read("a.txt", "a\nb\na\nb")
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n a\n-b\n+c\n+d\n*** End of File\n*** End Patch"

    assert not hands.use("apply_patch", patch=patch).failed
    assert "a\nb\na\nc\nd" == file.read_text()


def test_wrong_counts_lost_spaces_and_prose_around_a_diff_do_no_harm(hands: "Hands") -> None:
    file = hands.have_read("a.py", "a\n\nb\n")
    patch = "Here it is:\n```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,9 +1,2 @@ def x\n a\n\n-b\n+c\n```\nThat is all."

    assert not hands.use("apply_patch", patch=patch).failed
    assert "a\n\nc\n" == file.read_text()


def test_wrong_indentation_is_adapted_and_shown(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)
    patch = "--- a/a.py\n+++ b/a.py\n@@\n if user:\n-    return True\n+    return 1\n"

    answer = hands.use("apply_patch", patch=patch)

    assert CODE.replace("True", "1") == file.read_text()
    assert answer.text.endswith("which now reads:\n3|        return 1")


def test_what_a_patch_wrote_may_be_edited_and_patched_again(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)
    hands.use("apply_patch", patch=DIFF)

    assert not hands.use("edit_file", path="a.py", search="return user.ok", replace="return 2").failed
    assert not hands.use("apply_patch", patch=hunk("a.py", "        return 2", "        return 3")).failed
    assert CODE.replace("True", "3") == file.read_text()


def test_a_patch_of_another_run_waits_for_an_edit_and_both_arrive(bench: "Bench") -> None:
    tool_provider = WorkspaceTools()
    one, other = bench.hands(tool_provider), bench.hands(tool_provider)
    file = one.have_read("a.txt", "".join(f"line {n};\n" for n in range(20)))
    other.use("read_file", path="a.txt")
    patches = [
        ((one if n % 2 else other).tools["apply_patch"], {"patch": hunk("a.txt", f"line {n};", f"edited {n};")})
        for n in range(20)
    ]

    answers = one.together([(tool, dict(arguments)) for tool, arguments in patches])

    assert [] == [answer.text for answer in answers if answer.failed]
    assert "".join(f"edited {n};\n" for n in range(20)) == file.read_text()


def hunk(path: str, old: str, new: str) -> str:
    """A diff of one line."""
    return f"--- a/{path}\n+++ b/{path}\n@@\n-{old}\n+{new}\n"


def is_program(hands: "Hands", name: str) -> bool:
    """Whether a file may be run by its owner."""
    return bool((hands.workspace / name).stat().st_mode & stat.S_IXUSR)


def test_after_an_interruption_what_a_patch_wrote_is_known(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Delete File: old.txt\n*** End Patch"
    calls = [
        (ToolCall("1", "apply_patch", {"patch": patch}), ToolResult("Patched 2 files:")),
        (ToolCall("2", "apply_patch", {"patch": hunk("failed.txt", "a", "b")}), ToolResult("no", failed=True)),
        (ToolCall("3", "apply_patch", {"patch": "nonsense"}), ToolResult("?")),
    ]

    tracker = replay_reads(calls, tmp_path)

    assert {tmp_path.resolve() / "new.txt"} == set(tracker.pieces)
    assert tracker.covers(tmp_path.resolve() / "new.txt", ["one", "two"])

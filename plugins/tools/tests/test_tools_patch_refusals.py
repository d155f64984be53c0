"""Test what ``apply_patch`` refuses, and that nothing is changed then."""

import stat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Hands

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


def test_lines_that_occur_more_than_once_are_not_guessed_at(hands: "Hands") -> None:
    file = hands.have_read("a.txt", "a\nb\na\nb\na\nb\n")

    answer = hands.use("apply_patch", patch="--- a/a.txt\n+++ b/a.txt\n@@ -40,2 +40,2 @@\n a\n-b\n+c\n")

    assert answer.failed
    assert "Hunk 1 of a.txt fits 3 times, at lines 1, 3, 5. Add more context lines to the hunk." in answer.text
    assert "a\nb\na\nb\na\nb\n" == file.read_text()


def test_lines_that_are_not_there_are_answered_with_the_nearest(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)

    answer = hands.use("apply_patch", patch=DIFF.replace("return True", "return Ture"))

    assert answer.failed
    assert (
        "Hunk 1 of a.py: its lines are not in the file.\nMost similar (98 %), lines 1 to 4:\n1|def login" in answer.text
    )
    assert answer.text.endswith("Nothing was changed.")
    assert CODE == file.read_text()


def test_one_hunk_without_a_place_keeps_every_file_as_it_is(hands: "Hands") -> None:
    hands.have_read("a.py", CODE)
    hands.have_read("b.py", "x = 1\n")
    before = hands.contents()

    answer = hands.use(
        "apply_patch", patch=f"{DIFF}--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+c\n{hunk('b.py', 'y', 'z')}"
    )

    assert answer.failed
    assert "Hunk 1 of b.py" in answer.text
    assert before == hands.contents()


def test_a_failure_half_way_puts_everything_back(hands: "Hands") -> None:
    hands.have_read("a.py", CODE).chmod(0o751)
    hands.have_read("gone.txt", "x\n")
    before = hands.contents()
    patch = """\
*** Begin Patch
*** Delete File: gone.txt
*** Update File: a.py
@@
-    return False
+    return None
*** Add File: new/deep/file
+a file
*** Add File: new/deep/file/below
+cannot be below a file
*** End Patch
"""

    answer = hands.use("apply_patch", patch=patch)

    assert "a part of this path is a file, not a folder. All files are unchanged." in answer.text
    assert before == hands.contents()
    assert 0o751 == stat.S_IMODE((hands.workspace / "a.py").stat().st_mode)
    assert not (hands.workspace / "new").exists()


def test_what_was_never_shown_is_not_patched(hands: "Hands") -> None:
    file = hands.write("a.py", CODE)

    never = hands.use("apply_patch", patch=DIFF)
    hands.use("read_file", path="a.py", start=1, end=2)
    partly = hands.use("apply_patch", patch=DIFF)

    assert "a.py was not read in this run." in never.text
    assert "Not read in this run, or changed since: lines 1 to 4 of a.py." in partly.text
    assert CODE == file.read_text()


def test_what_was_never_read_is_not_deleted(hands: "Hands") -> None:
    file = hands.write("a.py", CODE)
    patch = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"

    never = hands.use("apply_patch", patch=patch)
    hands.use("read_file", path="a.py")
    file.write_text("another text\n")
    changed = hands.use("apply_patch", patch=patch)

    assert "a.py exists and was not read in this run. Read it first, then delete it." in never.text
    assert "a.py has changed since it was read. Read it again, then delete it." in changed.text
    assert file.exists()


def test_a_deletion_must_take_out_all_lines(hands: "Hands") -> None:
    file = hands.have_read("a.py", CODE)

    answer = hands.use("apply_patch", patch="--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def login(user):\n")

    assert "The patch deletes a.py, but not all of its lines." in answer.text
    assert file.exists()


@pytest.mark.parametrize(
    ("patch", "sentence"),
    [
        ("", "The patch names no file. Write a unified diff"),
        ("please change it", "The patch names no file."),
        ("--- a/../x\n+++ b/../x\n@@\n-a\n+b\n", "../x is outside the working directory."),
        ("--- /dev/null\n+++ /etc/x\n@@\n+b\n", "/etc/x is outside the working directory."),
        ("*** Begin Patch\n*** Add File: .git/hooks/x\n+b\n*** End Patch", ".git/hooks/x belongs to version control"),
        ("--- a/b.py\n+++ b/b.py\n@@\n-a\n+b\n", "File not found: b.py. Did you mean c.py?"),
        ("--- /dev/null\n+++ b/a.py\n@@\n+b\n", "a.py already exists."),
        ("*** Update File: a.py\n*** Move to: c.py\n", "c.py already exists."),
        ("--- a/a.py\n+++ b/c.py\n@@\n-a\n+b\n", "The patch header names two different files, a.py and c.py."),
        ("--- a/a.py\n+++ b/a.py\n", "The patch would not change a.py."),
        ("--- a/a.py\n+++ b/a.py\n@@ -2,0 +3 @@\n+b\n", "Hunk 1 of a.py has no context lines."),
        ("--- a/a.py\n+++ b/a.py\n@@\n-a\nreturn\n", "Line 5 of the patch is not in a hunk: 'return'."),
        ("@@ -1 +1 @@\n-a\n+b\n", "The patch has a hunk before it names a file."),
        (f"{DIFF}\n+more\n", "Line 10 of the patch is not in a hunk: '+more'. Write a @@ line above it."),
        (f"{DIFF}{DIFF}", "a.py is in the patch twice."),
        ("diff --git a/p b/p\nGIT binary patch\n", "The patch contains a copy or binary data"),
        ("diff --git a/p b/p\nnew file mode 120000\n", "The patch turns p into a link or a submodule."),
        ('--- "a/\\777"\n+++ "b/\\777"\n@@\n-a\n+b\n', "The patch names a file that cannot be read"),
        ("*** Add File: d\nline\n", "Line 2 of the patch is not in a hunk: 'line'."),
        ("*** Add File: d\n-line\n", "d is a new file, so each of its lines must begin with +."),
        ("*** Delete File: link\n", "link is a link, which a patch cannot move or delete."),
        (
            "--- a/a.py\n+++ b/a.py\n@@\n-    if user:\n+    if 1:\n@@\n-    if user:\n+    if 2:\n",
            "Two hunks of a.py change the same lines.",
        ),
    ],
)
def test_what_cannot_be_applied_is_refused_and_changes_nothing(hands: "Hands", patch: str, sentence: str) -> None:
    hands.have_read("a.py", CODE)
    hands.have_read("c.py", "c\n")
    (hands.workspace / "link").symlink_to("c.py")
    before = hands.contents()

    answer = hands.use("apply_patch", patch=patch)

    assert answer.failed
    assert sentence in answer.text
    assert before == hands.contents()


def hunk(path: str, old: str, new: str) -> str:
    """A diff of one line."""
    return f"--- a/{path}\n+++ b/{path}\n@@\n-{old}\n+{new}\n"

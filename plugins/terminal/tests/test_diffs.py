"""Diffs as they are shown."""

from openkoi_terminal import PLAIN, Style, count_changes, render_diff

DIFF = """diff --git a/shop/bill.py b/shop/bill.py
index 1..2 100644
--- a/shop/bill.py
+++ b/shop/bill.py
@@ -3,5 +3,6 @@ def total():
 one
-    return price * 2
+    return price * 3
 two
+three
+four
-gone
 end
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
"""
SHOWN = """shop/bill.py +3 -2
  @@ -3,5 +3,6 @@ def total():
    3   one
    4 -     return price * 2
    4 +     return price * 3
    5   two
    6 + three
    7 + four
    6 - gone
    8   end
logo.png +0 -0
Binary files a/logo.png and b/logo.png differ"""


def test_lines_have_numbers_and_signs() -> None:
    assert SHOWN.splitlines() == [*render_diff(DIFF, PLAIN)]


def test_the_words_that_changed_are_marked() -> None:
    text = "\n".join(render_diff(DIFF, Style()))

    assert "\x1b[31;7m2\x1b[0m" in text
    assert "\x1b[32;7m3\x1b[0m" in text
    assert "\x1b[32mthree\x1b[0m" in text


def test_a_long_diff_is_folded_and_names_the_command_for_the_rest() -> None:
    assert ["shop/bill.py +3 -2", "  @@ -3,5 +3,6 @@ def total():", "… 10 more lines: /diff"] == [
        *render_diff(DIFF, PLAIN, most=2, more="/diff")
    ]
    assert 12 == len(render_diff(DIFF, PLAIN, most=0))


def test_text_in_another_encoding_names_it() -> None:
    note = "Binary files a/a.txt and b/a.txt differ (latin-1 text, decoded below)"
    part = f"diff --git a/a.txt b/a.txt\n{note}\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-caf\u00e9\n+th\u00e9\n"

    assert ["a.txt +1 -1", note, "  @@ -1,1 +1,1 @@", "    1 - caf\u00e9", "    1 + th\u00e9"] == [
        *render_diff(part, PLAIN)
    ]


def test_counts_by_file() -> None:
    assert ["shop/bill.py +3 -2", "logo.png +0 -0"] == [one.text for one in count_changes(DIFF)]


def test_a_hostile_diff_cannot_control_the_terminal() -> None:
    text = "\n".join(render_diff(DIFF.replace("three", "\x1b[2J\u202e"), PLAIN))

    assert "+ <ESC>[2J<U+202E>" in text

"""Of piped input, the error, the frames next to it and its first lines are what memory is searched with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import Limits, Task
from openkoi_prompt import build_recall_query, build_recall_text
from openkoi_prompt.recall_query import MAX_ERRORS, MAX_FRAMES, MAX_LEAD, MAX_LINE, condense_input

pytestmark = pytest.mark.unit

PYTHON = """\
Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 198, in _run_module_as_main
    return _run_code(code, main_globals, None,
  File "/home/u/shop/__main__.py", line 9, in main
    print(total(read(sys.argv[1])))
          ^^^^^^^^^^^^^^^^^^^^^^^
  File "/home/u/shop/prices.py", line 12, in price_of
    return PRICES[cup.kind]
KeyError: 'matcha'
"""
CHAINED = """\
Traceback (most recent call last):
  File "/a/conf.py", line 3, in load
    return tomllib.loads(text)
tomllib.TOMLDecodeError: Expected '='

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/a/main.py", line 9, in start
    conf = load()
shop.BrokenSettings: conf.toml is broken
"""
NODE = """\
/app/src/bill.js:10
    return cups.map(price)

TypeError: Cannot read properties of undefined (reading 'map')
    at Bill.total (/app/src/bill.js:10:17)
    at /app/src/main.js:3:1
    at Module._compile (node:internal/modules/cjs/loader:1105:14)
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: no till
\tat com.acme.Shop.open(Shop.java:12)
Caused by: java.lang.NullPointerException: till is null
\tat com.acme.Till.count(Till.java:44)
\tat java.base/java.util.List.of(List.java:9)
\t... 2 more
"""
GO = "panic: index out of range [5]\n\ngoroutine 1 [running]:\nmain.total(...)\n\t/home/u/shop/bill.go:12 +0x1d\n"
RUST = """\
thread 'main' panicked at src/bill.rs:14:9:
called `unwrap()` on a `None` value
   1: shop::total
             at ./src/bill.rs:14:9
"""
RUBY = "bill.rb:3:in `total': undefined method `price' (NoMethodError)\n\tfrom main.rb:8:in `<main>'\n"
GCC = "cc -c bill.c\nbill.c:12:5: error: implicit declaration of function 'sharez'\n"
FRAMED = ["shop/prices.py price_of", "shop/__main__.py main"]
ELIXIR = "** (KeyError) key :price not found\n    (shop 0.1.0) lib/shop/bill.ex:14: Shop.Bill.total/1\n"
ASAN = "==1==ERROR: AddressSanitizer: heap-buffer-overflow\n    #0 0x4f in bill_total src/bill.c:33:9\n"
RUSTC = "error[E0308]: mismatched types\n  --> src/bill.rs:12:5\n   |\n"
GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "/a/shop/main.py", line 3, in main
  | ExceptionGroup: two tills failed (1 sub-exception)
  +-+---------------- 1 ----------------
    | ValueError: bad till
    +------------------------------------
"""
CASES = {
    "elixir": (ELIXIR, ["** (KeyError) key :price not found", "shop/bill.ex"]),
    "sanitizer": (ASAN, ["==1==ERROR: AddressSanitizer: heap-buffer-overflow", "src/bill.c bill_total"]),
    "rustc": (RUSTC, ["error[E0308]: mismatched types", "src/bill.rs"]),
    "group": (
        GROUP,
        [
            *("ValueError: bad till", "ExceptionGroup: two tills failed (1 sub-exception)", "shop/main.py main"),
            "Exception Group Traceback (most recent call last):",
        ],
    ),
    "python": (PYTHON, ["KeyError: 'matcha'", *FRAMED]),
    "chained": (
        CHAINED,
        [
            *("shop.BrokenSettings: conf.toml is broken", "tomllib.TOMLDecodeError: Expected '='"),
            *("a/conf.py load", "a/main.py start"),
        ],
    ),
    "node": (
        NODE,
        [
            "TypeError: Cannot read properties of undefined (reading 'map')",
            *("src/bill.js Bill.total", "src/main.js", "src/bill.js"),
        ],
    ),
    "java": (
        JAVA,
        [
            "Caused by: java.lang.NullPointerException: till is null",
            'Exception in thread "main" java.lang.IllegalStateException: no till',
            *("Shop.java Shop.open", "Till.java Till.count"),
        ],
    ),
    "go": (GO, ["panic: index out of range [5]", "shop/bill.go main.total"]),
    "rust": (
        RUST,
        ["thread 'main' panicked at src/bill.rs:14:9: called `unwrap()` on a `None` value", "src/bill.rs shop::total"],
    ),
    "ruby": (RUBY, ["bill.rb:3:in `total': undefined method `price' (NoMethodError)", "main.rb"]),
    "compiler": (GCC, ["bill.c:12:5: error: implicit declaration of function 'sharez'", "cc -c bill.c"]),
    "prose before": (
        f"The bill of tea is wrong.\n\n{PYTHON}",
        ["KeyError: 'matcha'", *FRAMED, "The bill of tea is wrong."],
    ),
    "a long log before": ("12:00 INFO served\n" * 99 + PYTHON, ["KeyError: 'matcha'", *FRAMED]),
    "no error": ("1. Open the till\n\n2. Sell three cups\n", ["1. Open the till", "2. Sell three cups"]),
    "only libraries": (
        '  File "/usr/lib/python3.11/ast.py", line 1, in parse\nSyntaxError: invalid syntax\n',
        ["SyntaxError: invalid syntax", "python3.11/ast.py parse"],
    ),
    "nothing": (" \n\n", []),
}


@pytest.mark.parametrize("case", CASES)
def test_the_error_comes_first_then_the_innermost_frames(case: str) -> None:
    piped, wanted = CASES[case]

    assert wanted == list(condense_input(piped))


def test_a_query_is_the_task_and_its_input_within_a_tenth_of_the_tokens() -> None:
    query = build_recall_query(Task("Fix it", context=PYTHON, project="shop", limits=Limits(tokens=5_000)))

    text = "\n".join(["Fix it", "KeyError: 'matcha'", *FRAMED])
    assert (text, "shop", 500) == (query.text, query.project, query.tokens)
    assert "Fix it" == build_recall_text(Task("Fix it"))


ENDLESS = ["x" * 9_999, "at " + "a." * 20_000, "a/" * 20_000 + "x.py", "x" * 40_000 + ".py:12: in f", "^ " * 20_000]


@given(st.lists(st.sampled_from([*PYTHON.splitlines(), *NODE.splitlines(), *GO.splitlines(), *ENDLESS, ""])))
def test_however_long_the_input_is_little_of_it_is_searched(lines: list[str]) -> None:
    found = condense_input("\n".join(lines))

    assert all(line.strip() for line in found)
    assert len(found) == len(set(found))
    assert sum(map(len, found)) <= MAX_ERRORS * MAX_LINE + MAX_FRAMES * MAX_LINE + MAX_LEAD

"""Test that piped input is part of the recall query: for a traceback, its error and innermost frames."""

import json
from typing import Any

import pytest
from cli_process import Shell
from verdict_runs import DONE, EDIT, folder_with_test, write_script_outside

KNOWN = {
    "prices": "Make price_of in shop/prices.py reject unknown kinds",
    "sharing": "Let BillSplitter.split in src/till.js hand out the odd cents",
    "menu": "Translate the menu into French",
    "orders": "Handle empty carts in ParseOrder",
    "discounts": "Let discount_for in src/discounts.rs accept none",
    "catalog": "Reject unknown teas in TeaCatalog.lookup",
    "import": "Trim the names that CustomerImporter reads",
    "coupons": "Let apply_coupon in lib/coupons.rb ignore case",
}
GO = """\
panic: runtime error: index out of range [0] with length 0

goroutine 1 [running]:
github.com/acme/shop/order.ParseOrder({0x0, 0x0, 0x0})
	/home/u/shop/order/parse.go:15 +0x1d
main.main()
	/home/u/shop/cmd/shop/main.go:9 +0x2c
exit status 2
"""
RUST = """\
thread 'main' panicked at src/lib.rs:12:5:
called `Option::unwrap()` on a `None` value
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:578:5
   1: shop::discounts::discount_for
             at ./src/lib.rs:12:5
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalArgumentException: No enum constant com.acme.Tea.MATCHA
	at java.base/java.lang.Enum.valueOf(Enum.java:273)
	at com.acme.shop.TeaCatalog.lookup(TeaCatalog.java:48)
	at com.acme.shop.Main.main(Main.java:12)
"""
DOTNET = """\
Unhandled exception. System.FormatException: Input string was not in a correct format.
   at System.Int32.Parse(String s)
   at Acme.Import.CustomerImporter.ReadRow(String line) in /src/Import/Rows.cs:line 31
   at Acme.Program.Main(String[] args)
"""
RUBY = """\
lib/coupons.rb:12:in `apply_coupon': undefined method `downcase' for nil:NilClass (NoMethodError)
	from lib/cart.rb:30:in `block in total'
	from bin/shop:5:in `<main>'
"""
OUTER = "".join(f'  File "/usr/lib/python3.11/step{n}.py", line {n}, in step{n}\n    next_step()\n' for n in range(60))
PYTHON = f"""\
Traceback (most recent call last):
{OUTER}  File "/home/u/shop/prices.py", line 12, in price_of
    return PRICES[kind]
KeyError: 'matcha'
"""
NODE = """\
/app/src/till.js:10
    return shares.map(Number)

TypeError: BillSplitter.shares is not a function
    at BillSplitter.split (/app/src/till.js:10:17)
    at Module._compile (node:internal/modules/cjs/loader:1105:14)
"""
LOG = "".join(f"12:00:{n % 60:02d} INFO request {n} served\n" for n in range(5000)) + PYTHON
PROSE = "The odd cents of a bill are lost.\nBillSplitter.split should hand them out, and does not.\n"


@pytest.fixture(scope="module")
def openkoi(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A folder whose memory contains three tasks."""
    openkoi = folder_with_test(tmp_path_factory.mktemp("recall"))
    for text in KNOWN.values():
        run(openkoi, text)
    return openkoi


def run(openkoi: Shell, text: str, piped: str | None = None) -> str:
    """Do a task; return the recalled entries."""
    model = write_script_outside(openkoi, EDIT + DONE)
    result = openkoi(text, "--executor", model, "--iterate", "0", "--format", "jsonl", stdin=piped)
    records: list[dict[str, Any]] = [json.loads(line) for line in result.stdout.splitlines()]
    hits = next(one["data"]["recall"].get("hits", []) for one in records if one.get("type") == "recall")
    return "\n".join(hit["memo"]["text"] for hit in hits)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("piped", "wanted"),
    [
        (PYTHON, "prices"),
        (LOG, "prices"),
        (NODE, "sharing"),
        (PROSE, "sharing"),
        (GO, "orders"),
        (RUST, "discounts"),
        (JAVA, "catalog"),
        (DOTNET, "import"),
        (RUBY, "coupons"),
    ],
    ids=["python", "log", "node", "prose", "go", "rust", "java", "c#", "ruby"],
)
def test_the_task_that_a_piped_traceback_is_about_is_recalled(openkoi: Shell, piped: str, wanted: str) -> None:
    recalled = run(openkoi, "Look into this", piped)

    assert [KNOWN[wanted]] == [text for text in KNOWN.values() if text in recalled]


def test_without_input_the_same_words_recall_nothing(openkoi: Shell) -> None:
    recalled = run(openkoi, "Look into this")

    assert [] == [text for text in KNOWN.values() if text in recalled]


def test_input_takes_nothing_from_what_the_task_itself_recalls(openkoi: Shell) -> None:
    assert KNOWN["menu"] in run(openkoi, "Translate the menu into French again", NODE)

"""Generate genuine repairs in runs that read source files sharing words with the fixes, without advising them.

Each is a task, the finding's title, its fix, and the file that was read. The second half was written after the rule.
"""

from typing import NamedTuple

MONEY = '''\
1|"""Write the invoices of a month to a file that the bank imports."""
2|
3|import csv
4|from decimal import Decimal
5|
6|from shop.money import round_amount, to_cents
7|
8|DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\\t"}
9|
10|
11|def write_invoices(path, invoices, delimiter="comma"):
12|    """Write one row for each invoice, with the customer's name and the total in cents."""
13|    with open(path, "w", newline="") as file:
14|        writer = csv.writer(file, delimiter=DELIMITERS[delimiter])
15|        for invoice in invoices:
16|            # the bank rejects rows whose total is negative
17|            writer.writerow([invoice.number, invoice.customer, to_cents(invoice.total)])
18|
19|
20|def total_of(lines):
21|    """Return the sum of the lines, with tax."""
22|    return sum(line.price * line.count for line in lines)
'''
POOL = '''\
1|"""A pool of connections to the database, shared by all requests."""
2|
3|import threading
4|
5|MAX_CONNECTIONS = 10  # of one process; the server allows a hundred
6|
7|
8|class Pool:
9|    """Opens connections on demand, and closes the idle ones after a minute."""
10|
11|    def __init__(self, url, timeout=30):
12|        self.url, self.timeout = url, timeout
13|        self.lock = threading.Lock()
14|        self.idle = []
15|
16|    def acquire(self):
17|        """Return an idle connection, or open another one."""
18|        with self.lock:
19|            return self.idle.pop() if self.idle else connect(self.url)
20|
21|    def release(self, connection):
22|        """Give a connection back; a broken one is dropped."""
23|        if connection.is_alive():
24|            self.idle.append(connection)
'''
README = """\
# Shop

Takes orders, writes invoices, and sends them to customers by mail.

## Install

    pip install -e .

## Configure

Settings are read from `settings.toml` when the server starts. The log goes to standard error, one line for each
request. Set `SHOP_DEBUG=1` to see the queries.

## Test

Run `pytest` from the root folder. Slow tests are skipped unless `--slow` is given.
"""


class Repair(NamedTuple):
    """A task, its finding, its fix, and the files read."""

    task: str
    title: str
    fix: str
    read: str


KNOWN = (
    Repair("Export the invoices for the bank", "The columns run together", "Use `semicolon`.", MONEY),
    Repair("Export the invoices for the bank", "The totals are floats", "Convert totals with `to_cents`.", MONEY),
    Repair(
        "Export the invoices for the bank", "The sums differ by a cent", "Call `round_amount` before `to_cents`.", MONEY
    ),
    Repair("Add the tax to the totals", "The tax is missing", "Multiply the price by `1.19` in `total_of`.", MONEY),
    Repair("Export the invoices for the bank", "The file has empty lines", 'Open the file with newline="".', MONEY),
    Repair("Skip refunds in the export", "Refunds are exported", "Skip invoices whose total is below zero.", MONEY),
    Repair("Sort the export", "Rows are out of order", "Sort by `invoice.number` before writing.", MONEY),
    Repair("Add a currency to the export", "The currency is missing", "Append `invoice.currency` to each row.", MONEY),
    Repair("Fix the leak in the pool", "Connections stay open", "Call `release` in a `finally` block.", POOL),
    Repair("Fix the leak in the pool", "Two threads get one connection", "Hold `self.lock` while appending.", POOL),
    Repair("Limit the pool", "The limit is ignored", "Raise `PoolError` above `MAX_CONNECTIONS`.", POOL),
    Repair("Make the timeout a setting", "The timeout is fixed", "Read `timeout` from `settings.toml`.", POOL),
    Repair("Retry broken connections", "One failure ends the request", "Retry `connect` up to 3 times.", POOL),
    Repair("Close the pool on exit", "Connections stay open", "Register `Pool.close` with `atexit`.", POOL),
    Repair("Describe the settings", "The port is not described", "Add a table with `port` and `host`.", README),
    Repair("Log to a file", "Nothing is written", "Add a `FileHandler` for `shop.log`.", README),
    Repair("Speed up the tests", "They take a minute", "Pass `-n auto` to `pytest`.", README),
    Repair("Package the shop", "The wheel has no templates", "List `templates/*.html` in `package-data`.", README),
    Repair("Validate the settings", "A typo is accepted", "Reject unknown keys when the server starts.", README),
    Repair("Send reminders by mail", "It sends them twice", "Store the date of the last reminder.", README),
)
HELD_OUT = (
    Repair("Import the orders", "Umlauts are broken", "Open the file with `encoding='utf-8'`.", MONEY),
    Repair("Test the export", "The test needs a real file", "Write to `tmp_path` in the test.", MONEY),
    Repair("Round the totals", "Halves are rounded down", "Quantize with `ROUND_HALF_UP`.", MONEY),
    Repair("Round the totals", "The sum is off", "Round each line with `round_amount`, not the sum.", MONEY),
    Repair("Add a header to the export", "The first row is data", "Write a header row before the loop.", MONEY),
    Repair("Allow pipes in the export", "KeyError: 'pipe'", 'Add `"pipe": "|"` to `DELIMITERS`.', MONEY),
    Repair("Export by customer", "All customers are in one file", "Group invoices by `customer`.", MONEY),
    Repair("Drop idle connections", "They are never closed", "Call `close` on each one in `idle`.", POOL),
    Repair("Drop idle connections", "The timer is never stopped", "Cancel the `Timer` in `__exit__`.", POOL),
    Repair("Fix the deadlock", "acquire waits for itself", "Use `RLock` instead of `Lock`.", POOL),
    Repair("Fix the deadlock", "The lock is held too long", "Open the connection outside of the lock.", POOL),
    Repair("Count open connections", "The count is negative", "Decrement `count` only in `release`.", POOL),
    Repair("Ping before reuse", "Dead connections are reused", "Check `is_alive` in `acquire`.", POOL),
    Repair("Name the threads", "Their names are numbers", "Pass `name=` to `Thread`.", POOL),
    Repair("Describe the settings", "The example does not parse", "Quote the value of `host`.", README),
    Repair("Describe the tests", "The command fails", "Install the `test` extra first.", README),
    Repair("Start in debug mode", "Queries are not shown", "Set `echo=True` on the engine.", README),
    Repair("Rotate the log", "The disk is full", "Use `RotatingFileHandler` with 5 files.", README),
    Repair("Send invoices by mail", "The subject is empty", "Set `message['Subject']` to the number.", README),
    Repair("Reload the settings", "Changes need a restart", "Read the file again on `SIGHUP`.", README),
)

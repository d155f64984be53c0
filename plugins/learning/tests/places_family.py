"""Generate advice that names a file in many ways, beside words that only look like file names."""

from collections.abc import Iterator
from itertools import product

FILES = (
    *("src/billing.py", "app/report.py", "lib/dates.ts", "web/form.tsx", "cmd/main.go", "core/parse.rs"),
    *("tests/test_shop.py", "docs/setup.md", "conf/site.yaml", "ui/style.css"),
)
NAMED = (  # how the advice names its file
    "In {path}, the unit must be `{value}`.",
    "The unit must be `{value}` in {path}.",
    "In {name}:12:3, the unit must be `{value}`.",
    "In `{windows}`, the unit must be `{value}`.",
    "In C:\\work\\my shop\\{windows}, the unit must be `{value}`.",
    "In /home/ann/my shop/{path}, the unit must be `{value}`.",
    "In {path}::test_x[1], the unit must be `{value}`.",
    "({name}) The unit must be `{value}`!",
    "The unit must be `{value}`; see ./{path}.",
    "In {upper}, the unit must be `{value}`.",
)
BESIDE = (  # what else the title and the advice say
    "",
    "e.g. as before",
    "i.e. everywhere",
    "as in Node.js",
    "by https://docs.acme.com/units.html",
    "since v1.2.rc",
    "as www.acme.org says",
    "with ASP.net, Vue.js and the like",
    "at 10 a.m. or p.m.",
    "by acme.shop.units",
)


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield 1,000 cases: a path, the title of a finding in it, and the advice."""
    for path, named, beside in product(FILES, NAMED, BESIDE):
        name = path.rpartition("/")[2]
        spelled = {"path": path, "name": name, "windows": path.replace("/", "\\"), "upper": path.upper()}
        fix = named.format(value="cents", **spelled)
        yield path, f"Amounts are off {beside}".strip(), f"{fix} {beside}".strip()

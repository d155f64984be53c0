"""What a start imports. Exact and independent of how busy the machine is; the figures are in tests/benchmarks."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    *("pydantic", "httpx2", "asyncio", "duckdb", "_duckdb", "numpy", "rich", "pluggy", "yaml", "importlib_metadata"),
    *("importlib.metadata", "openkoi_hookspecs"),
}
LISTING = """
import sys
sys.argv = ["openkoi", *{arguments!r}]
try:
    from openkoi.__main__ import main
    main()
except SystemExit:
    pass
print("\\n" + " ".join(sys.modules), file=sys.stderr)
"""


def modules(*arguments: str) -> set[str]:
    """What is imported by the time a command line ends."""
    code = LISTING.format(arguments=list(arguments))
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(told.stderr.split("\n")[-2].split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("-h",), ("run", "--help")])
def test_a_start_that_runs_no_task_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    imported = modules(*arguments)

    assert set() == imported & HEAVY
    ours = {name for name in imported if name.startswith("openkoi_") and not name.startswith("openkoi_cli")}
    assert {"openkoi_loader", "openkoi_loader.launcher", "openkoi_loader.registry"} >= ours


def test_version_imports_nothing_but_the_entry_file() -> None:
    before = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )

    assert {"openkoi", "openkoi.__main__"} == modules("--version") - set(before.stdout.split())


def test_listing_plugins_imports_none_of_them() -> None:
    imported = {name for name in modules("plugins") if name.startswith("openkoi_") and "." not in name}

    libraries = (
        *("decision", "files", "hookspecs", "isolation", "loader", "log", "models", "progress", "prompt", "redact"),
        *("schema", "settings"),
    )
    assert {"openkoi_cli", *(f"openkoi_{name}" for name in libraries)} >= imported


def test_a_hundred_distributions_are_found_without_importing_one(tmp_path: Path) -> None:
    from openkoi_loader.registry import scan

    for number in range(100):
        folder = tmp_path / f"openkoi_fake{number}-1.0.dist-info"
        folder.mkdir()
        points = f"[openkoi.evaluators]\nfake{number} = fake{number}.nowhere:Fake\n"
        (folder / "entry_points.txt").write_text(points)

    found = scan([str(tmp_path)]).found

    assert 100 == len(found)

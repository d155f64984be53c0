"""Run the tests and contract suites of a plugin's package."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from openkoi_hookspecs import KoiError

WASM_MANIFEST = "plugin.toml"
NO_WASM = "This is a WASM plugin, which needs openkoi-wasm. Run `openkoi plugin install openkoi-wasm`."
MISSING = "Certifying needs openkoi-testing. Run `openkoi plugin install openkoi-testing`."


def certify_package(folder: Path) -> int:
    """Certify a package in a separate process, so that its code cannot affect this one; return the exit status."""
    if (folder / WASM_MANIFEST).exists():
        if find_spec("openkoi_wasm") is None:
            raise KoiError(NO_WASM)
        code = subprocess.run(
            [sys.executable, "-P", "-m", "openkoi", "wasm", "test", str(folder)], check=False
        ).returncode
        click.echo("Not certified." if code else "✓ Certified.")
        return code
    if find_spec("openkoi_testing") is None:
        raise KoiError(MISSING)
    return subprocess.run([sys.executable, "-m", "openkoi_testing.certify", str(folder)], check=False).returncode

"""Run a script with a vendor's library in a separate environment, so that its pins do not conflict."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest


def run_isolated(distribution: str, script: Path, *arguments: str) -> Any:
    """Return the JSON that a script prints; skip the test if its library cannot be installed."""
    command = ["uv", "run", "--no-project", "--isolated", "--with", distribution, "python", str(script), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No solution found" in result.stderr or "Failed to fetch" in result.stderr:
        pytest.skip(f"{distribution} cannot be installed here")
    assert 0 == result.returncode, result.stderr
    return json.loads(result.stdout)

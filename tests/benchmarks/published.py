"""Update the figures in README.md: one section per benchmark, with the day, the commit and the processors."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

README = Path(__file__).with_name("README.md")


def save(name: str, text: str, readme: Path = README) -> None:
    """Replace a benchmark's section of the README, or add it."""
    heading = f"### {name}"
    before, _, rest = readme.read_text("utf-8").partition(f"\n{heading}\n")
    _, following, others = rest.partition("\n### ")
    section = f"\n{heading}\n\n{origin(readme)}\n\n{as_markdown(text)}\n"
    readme.write_text(before.rstrip("\n") + "\n" + section + following + others, "utf-8")


def origin(readme: Path) -> str:
    """Return when, from which commit and on what a benchmark was run."""
    changed = git(readme, "status", "--porcelain", "--untracked-files=no", "--", ":/", f":!{readme.name}")
    commit = git(readme, "describe", "--always") or "unknown"
    return f"{datetime.now(UTC):%Y-%m-%d}, commit {commit}{'-dirty' if changed else ''}, {os.cpu_count()} processors."


def git(readme: Path, *arguments: str) -> str:
    """Return what git prints about the repository of the figures; empty without one."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=readme.parent, capture_output=True, text=True, check=False).stdout.strip()


def as_markdown(text: str) -> str:
    """Separate tables from the sentences around them."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if lines and (line.startswith("|") != lines[-1].startswith("|") or not line.startswith("|")):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)

"""Search with ripgrep if it is installed, or else with a process of our own that can be stopped."""

import asyncio
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from openkoi_base.child_process import start_process
from openkoi_hookspecs import Command, KoiError, LimitExceededError, Run, ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from . import scan
from .glob import GlobPattern
from .symlink_safe_paths import WorkspacePath
from .tool_context import ToolSettings
from .walk import walk_files

OUTPUT_LINE = lazy_pattern(r"(?:\./)?([^\0\n]+)\0(\d+):(.*)")
MAX_FILES = 100_000
TOO_SLOW = "The search took longer than {:g} seconds. Narrow it with path or glob, or simplify the pattern."


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search, and where."""

    pattern: str
    literal: bool
    where: WorkspacePath
    glob: GlobPattern


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching line."""

    path: str
    line: int
    text: str


async def search_with_ripgrep(wanted: SearchQuery, run: Run, settings: ToolSettings) -> list[Hit] | None:
    """Search with ripgrep, in the sandbox; None if it is missing, or cannot do this search."""
    program = shutil.which("rg")
    if not program:
        return None
    relative = wanted.where.real.relative_to(wanted.where.root).as_posix()
    lines = "\n".join(ripgrep_ignore_lines(wanted.glob, settings.skip)).encode()
    argv = [program, *ripgrep_options(wanted), "-e", wanted.pattern, "--", "." if relative == "." else f"./{relative}"]
    try:
        done = await run.execute(Command(argv, stdin=lines, seconds=settings.search_seconds))
    except LimitExceededError:
        raise
    except KoiError:
        return None
    if done.timed_out:
        raise ToolError(TOO_SLOW.format(settings.search_seconds))
    found = parse_hits(done.output.splitlines())
    return found if done.exit_code == 1 or (done.exit_code == 0 and found) else None


def ripgrep_options(wanted: SearchQuery) -> list[str]:
    """Return the options that make ripgrep search the same files as our own search, and write one line per hit."""
    look = ["--no-config", "--hidden", "--no-require-git", "--no-ignore-dot", "--no-ignore-exclude"]
    look += ["--no-ignore-global", "--ignore-file=/dev/stdin", f"--max-filesize={scan.MAX_FILE_BYTES}"]
    say = ["--no-heading", "--with-filename", "--line-number", "--null", "--color=never", "--sort=path"]
    say += ["--no-messages", f"--max-columns={scan.MAX_LINE_CHARACTERS}", "--max-columns-preview"]
    return [*look, *say, *(["--fixed-strings"] if wanted.literal else [])]


def ripgrep_ignore_lines(glob: GlobPattern, skip: Iterable[str]) -> list[str]:
    """Return a glob as an ignore file, because ripgrep's own globs would bring back what version control ignores."""
    if glob.excludes or not glob.pattern:
        return [*glob.alternatives, *sorted(skip)]
    taken = [f"!{one}{rest}" for one in glob.alternatives for rest in ("", "/**")]
    return ["*", "!*/", *taken, *sorted(skip)]


async def search_in_process(wanted: SearchQuery, settings: ToolSettings) -> list[Hit]:
    """Search in a child process, which is killed if it takes too long, whatever the pattern."""
    files = await asyncio.to_thread(files_to_search, wanted, settings)
    order = {"pattern": wanted.pattern, "literal": wanted.literal, "files": files, "room": 2 * settings.result_bytes}
    status, output = await run_scan(json.dumps(order).encode(), wanted.where.root, settings.search_seconds)
    if status == scan.INVALID_PATTERN:
        raise ToolError(f"The pattern is not a valid regular expression: {output}. For plain text, pass literal=true.")
    if status:
        raise ToolError(
            f"The search failed (exit code {status}). Narrow it with path or glob, or simplify the pattern."
        )
    return parse_hits(output.split("\n"))


def files_to_search(wanted: SearchQuery, settings: ToolSettings) -> list[str]:
    """List the files to search, relative to the workspace."""
    where = wanted.where
    if where.real.is_file():
        return [where.real.relative_to(where.root).as_posix()]
    return [name for name in islice(walk_files(where, settings.skip), MAX_FILES) if wanted.glob.matches(name)]


async def run_scan(order: bytes, root: Path, seconds: float) -> tuple[int, str]:
    """Run the scan; return its exit status and its output."""
    pipe = asyncio.subprocess.PIPE
    argv = [sys.executable, "-I", "-S", "-B", str(Path(scan.__file__))]
    process = await start_process(*argv, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, cwd=root)
    try:
        output, _ = await asyncio.wait_for(process.communicate(order), seconds)
    except TimeoutError:
        raise ToolError(TOO_SLOW.format(seconds)) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace")


def parse_hits(lines: Sequence[str]) -> list[Hit]:
    """Parse hits from lines of output; skip anything else among them."""
    found = (OUTPUT_LINE.fullmatch(line) for line in lines)
    return [Hit(match[1], int(match[2]), match[3]) for match in found if match]

"""Suggest the equivalent here when users try an option of another agent program."""

from collections.abc import Mapping

APPROVES = (
    "-y approves changes that `openkoi undo` can revert. "
    "To approve more, set `yes` under [hooks.guard] in the config file."
)
ASKS = "In the chat, Shift-Tab sets what needs your approval. With --dry-run, a task leaves your files untouched."
LAYOUT = "Use --format json, or jsonl for one line per event."
FOLLOWS = (
    "`openkoi -c TEXT` follows up on the last session in this folder, `openkoi resume ID TEXT` on another one; "
    "`openkoi --resume` alone lists them."
)
TOOLS = "[hooks.guard] in the config file sets which calls are refused and which need approval."
PROMPT = "Put standing instructions into AGENTS.md; to add to the prompt with code, run `openkoi plugin new hook NAME`."
FOLDER = "A task works in one folder, so change to that folder first. @FILE attaches a file from anywhere."
TASK = 'Pass the task as words: openkoi "TASK". With --stdin, it is read from standard input.'
INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("--dangerously-skip-permissions", "--yolo", "--full-auto", "--yes-always"), APPROVES),
    **dict.fromkeys(("--permission-mode", "--approval-mode", "--ask-for-approval", "-a", "--sandbox", "-s"), ASKS),
    **dict.fromkeys(("--output-format", "--json"), LAYOUT),
    **dict.fromkeys(("--resume", "-r", "--session-id", "--fork-session"), FOLLOWS),
    **dict.fromkeys(("--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools"), TOOLS),
    **dict.fromkeys(("--system-prompt", "--append-system-prompt"), PROMPT),
    **dict.fromkeys(("--add-dir", "--cd", "-C"), FOLDER),
    **dict.fromkeys(("--message", "--prompt"), TASK),
    "--max-turns": "--iterate N limits the iterations, --budget USD the cost.",
    "--max-budget-usd": "Use --budget USD.",
    "--mcp-config": "`openkoi mcp add NAME COMMAND...` adds a server.",
}

"""Commands of other agents: the equivalent command here, or a sentence that explains how to do the same."""

from collections.abc import Mapping

ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("bashes", "tasks"), "background"),
    **dict.fromkeys(("permission", "approvals", "allowed-tools"), "permissions"),
    **dict.fromkeys(("exit", "q"), "quit"),
    **dict.fromkeys(("?", "commands", "shortcuts", "keys"), "help"),
    **dict.fromkeys(("costs", "usage", "tokens", "stats"), "cost"),
    **dict.fromkeys(("new", "reset"), "clear"),
    **dict.fromkeys(("compress", "summarize"), "compact"),
    **dict.fromkeys(("continue", "sessions"), "resume"),
    **dict.fromkeys(("checkpoint", "restore"), "rewind"),
    **dict.fromkeys(("todos", "todo"), "progress"),
    **dict.fromkeys(("save", "share"), "export"),
    **dict.fromkeys(("login", "auth", "provider"), "setup"),
    **dict.fromkeys(("security-review", "ultrareview"), "review"),
    "branch": "fork",
    "ps": "background",
    "approved-tools": "permissions",
    "models": "model",
}
LISTED: Mapping[str, str] = {"mcp": "list", "skill": "list", "daemon": "status"}  # what a group of commands does alone
RUNS: Mapping[str, tuple[str, ...]] = {  # commands of `openkoi`
    "doctor": ("doctor",),
    **dict.fromkeys(("plugins", "plugin", "extensions"), ("plugins",)),
    "skills": ("skill", "list"),
}
REVIEW = (
    "Ask for pull request comments in a message. "
    "`openkoi evaluate --diff main` scores a diff with tests, linters and a judge."
)
KEYS = "Define your own keys in keys.toml next to the config file; ? lists the keys in use."
DEPTH = "/iterate and /quality set how thorough OpenKoi is; /model chooses a model that thinks longer."
REPORT = "`openkoi doctor` checks the setup. To report a problem, attach the file that /export writes."
RULES = (
    "[hooks.guard] in the config file sets which calls are refused and which need approval; "
    "`/mode ask` asks before each change."
)
CRON = 'To run tasks on a schedule, let cron or a system timer run `openkoi "TASK"` in the folder.'
AGENTS = "An agent is a YAML file: `openkoi run AGENT.yaml TASK` runs it."
SHELL = "! runs a shell command, such as !git status; its output is sent with your next message."
FILES = "To attach a file, name it with @ in a message, such as @README.md."
LOOKS = "Colours come from your terminal. NO_COLOR=1 turns them off; /plain also turns off all drawing."
SETTINGS = (
    "/model, /mode, /iterate, /quality and /budget apply to this chat, "
    "and `openkoi config set KEY VALUE` to all later chats."
)
PLANS = "/plan TASK reads and plans, but changes nothing."
HINTS: Mapping[str, str] = {
    **dict.fromkeys(("pr-comments", "pr_comments"), REVIEW),
    **dict.fromkeys(("keybindings", "keymap"), KEYS),
    **dict.fromkeys(("effort", "fast", "think", "thinking", "reasoning-effort", "think-tokens"), DEPTH),
    **dict.fromkeys(("bug", "feedback", "report"), REPORT),
    **dict.fromkeys(("sandbox", "tools", "policies", "privacy-settings"), RULES),
    **dict.fromkeys(("schedule", "loop"), CRON),
    **dict.fromkeys(("stop", "clean"), "Esc interrupts a task; /background stop N stops one in the background."),
    **dict.fromkeys(
        ("drop", "ls"), "A file is sent only with the message that names it. /context shows the last prompt."
    ),
    **dict.fromkeys(("run", "shell", "git", "commit", "test", "lint"), SHELL),
    **dict.fromkeys(("add", "mention", "file", "read-only"), FILES),
    **dict.fromkeys(("theme", "themes", "color", "statusline", "output-style"), LOOKS),
    **dict.fromkeys(("config", "settings", "preferences"), SETTINGS),
    **dict.fromkeys(("ask", "architect", "chat-mode"), PLANS),
    **dict.fromkeys(("upgrade", "update", "release-notes"), "`openkoi update` updates OpenKoi and its plugins."),
    **dict.fromkeys(("add-dir", "directory", "cwd"), f"A chat works in the folder it was opened in. {FILES}"),
    **dict.fromkeys(("agents", "agent", "subagents"), AGENTS),
    "connect": "/setup sets up a model and its key.",
    "hooks": "Hooks are plugins: /plugins lists them, `openkoi plugin new hook NAME` writes one.",
    "mcp": "`openkoi mcp add NAME COMMAND` adds a server (needs `pip install openkoi-mcp`).",
    "ide": "Run `openkoi` in the terminal of your editor; it reads the files that you have saved.",
    "logout": "/setup replaces a key. To remove one, delete it from credentials/providers.json "
    "next to the config file.",
    "terminal-setup": "Nothing to set up: Ctrl-J, Alt-Enter, or a backslash before Enter begins a new line.",
    "vim": "The chat has no vi keys. Ctrl-G opens the message in $EDITOR; define your own keys in keys.toml "
    "next to the config file.",
}

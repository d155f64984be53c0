"""Commands of other agents: what does the same here, or a sentence that says how it is done."""

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
    "branch": "fork",
    "models": "model",
}
RUNS: Mapping[str, tuple[str, ...]] = {  # commands of `openkoi`
    "doctor": ("doctor",),
    "plugins": ("plugins",),
    "skills": ("skill", "list"),
}
MODEL = "/init sets up a model and its key, /model chooses another one."
REVIEW = "Ask for it in a message. `openkoi evaluate --diff main` scores a diff with tests, linters and a judge."
SHELL = "! runs a shell command, such as !git status; the next message is sent with what it printed."
FILES = "To attach a file, name it with @ in a message, such as @README.md."
LOOKS = "Colours come from your terminal. NO_COLOR=1 turns them off; /plain also turns off all drawing."
SETTINGS = "/model, /mode, /iterate, /quality and /budget set this chat, `openkoi config set KEY VALUE` all later ones."
PLANS = "/plan TASK lets it read and plan, but change nothing."
HINTS: Mapping[str, str] = {
    **dict.fromkeys(("login", "logout", "auth", "setup", "connect"), MODEL),
    **dict.fromkeys(("review", "security-review", "pr-comments"), REVIEW),
    **dict.fromkeys(("run", "shell", "git", "commit", "test", "lint"), SHELL),
    **dict.fromkeys(("add", "mention", "file", "read-only"), FILES),
    **dict.fromkeys(("theme", "themes", "color", "statusline", "output-style"), LOOKS),
    **dict.fromkeys(("config", "settings", "preferences"), SETTINGS),
    **dict.fromkeys(("ask", "architect", "chat-mode"), PLANS),
    **dict.fromkeys(("upgrade", "update", "release-notes"), "`openkoi update` updates OpenKoi and its plugins."),
    **dict.fromkeys(("add-dir", "directory", "cwd"), f"A chat works in the folder it was opened in. {FILES}"),
    "agents": "An agent is a YAML file: `openkoi run AGENT.yaml TASK` runs it.",
    "hooks": "Hooks are plugins: /plugins lists them, `openkoi plugin new hook NAME` writes one.",
    "mcp": "`openkoi mcp add NAME COMMAND` adds a server (needs `pip install openkoi-mcp`).",
    "terminal-setup": "Nothing to set up: Ctrl-J, Alt-Enter, or a backslash before Enter begins a new line.",
    "vim": "No vi keys. Ctrl-G opens the message in $EDITOR; define your own keys in keys.toml beside config.toml.",
}

"""All slash commands of the chat: their names, their arguments, and what they do."""

from openkoi_hookspecs.lazy_dataclass import dataclass

from .other_names import ALIASES

BETWEEN_TASKS = "Not during a task."


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its arguments, what it does, and whether it may run during a task or even another command."""

    name: str
    takes: str
    summary: str
    action: str
    during_task: bool = True
    at_once: bool = False

    @property
    def description(self) -> str:
        """What it does, and whether it has to wait for the end of a task."""
        return self.summary if self.during_task else f"{self.summary} {BETWEEN_TASKS}"


COMMANDS = (
    Command("help", "", "Show commands and keys.", "talk:show_help"),
    Command("clear", "", "Start a new session; the old one can be resumed.", "talk:clear", during_task=False),
    Command("compact", "[FOCUS]", "Replace the conversation with a summary.", "talk:compact", during_task=False),
    Command("resume", "[ID]", "Continue another session, or an interrupted task.", "talk:resume", during_task=False),
    Command("history", "", "List the messages of this session.", "talk:show_history"),
    Command("rewind", "[undo]", "Rewind conversation and files to a message.", "talk:rewind", during_task=False),
    Command("fork", "", "Continue in a new session; the old one stays unchanged.", "talk:fork", during_task=False),
    Command("rename", "NAME", "Name this session, for /resume.", "talk:rename"),
    Command("background", "[stop N]", "List tasks in the background (Ctrl-B), or stop one.", "talk:background"),
    Command("copy", "[N]", "Copy a numbered block, or the last answer.", "talk:copy"),
    Command("raw", "", "Switch between raw and formatted answers.", "talk:raw"),
    Command(
        "model", "[[ROLE] MODEL]", "Choose the model for executor, evaluator or both.", "set:model", during_task=False
    ),
    Command("iterate", "[N]", "Set the maximum iterations; 0 skips evaluation.", "set:iterate"),
    Command("quality", "[0..1]", "Set the minimum score to accept.", "set:quality"),
    Command("budget", "[USD]", "Set the maximum cost of each task.", "set:budget"),
    Command("mode", "[ask|edits|plan]", "Choose what a task may do without asking (Shift-Tab).", "set:mode"),
    Command("plan", "[TASK]", "Read and plan only; change nothing.", "set:plan", during_task=False),
    Command("permissions", "[revoke]", "List and revoke permissions.", "set:permissions"),
    Command("diff", "[ID]", "Show what the last task changed.", "look:diff"),
    Command("undo", "[ID]", "Undo the last task's changes.", "look:undo", during_task=False),
    Command("redo", "[ID]", "Reapply undone changes.", "look:redo", during_task=False),
    Command("why", "[ID]", "Explain the score: what moved it, and the decisions.", "look:why"),
    Command("status", "", "Show memory, skills, recent tasks and today's cost.", "look:status"),
    Command("cost", "", "Show the cost, the most expensive step, and how to save.", "look:cost"),
    Command("progress", "", "Show the plan, iterations and scores of the task (Ctrl-T).", "look:progress"),
    Command("transcript", "[ID]", "Show a task again, step by step (Ctrl-O).", "look:transcript"),
    Command("context", "", "Show the prompt of the last task, part by part.", "look:context"),
    Command("learn", "[ARGS]", "Review learned entries.", "look:learn", during_task=False),
    Command("soul", "[review]", "Show the soul, or review proposed changes to it.", "look:soul"),
    Command("memory", "[WORDS]", "Search memory; # TEXT adds to it.", "look:memory"),
    Command("export", "[FILE]", "Write this session to a Markdown file.", "look:export"),
    Command("review", "[WHAT]", "Review WHAT, or the uncommitted changes.", "request:review", during_task=False),
    Command("init", "", "Write an AGENTS.md for this project.", "request:init", during_task=False),
    Command("setup", "", "Set up a model and its key.", "request:setup", during_task=False),
    Command("editor", "", "Write the message in $EDITOR (Ctrl-G).", "talk:editor"),
    Command("plain", "", "Print line by line, for screen readers.", "talk:plain", during_task=False),
    Command("quit", "", "Leave the chat.", "talk:quit_chat", at_once=True),
)


def find_command(name: str) -> Command | None:
    """Return a command by its name or another name for it."""
    name = ALIASES.get(name, name)
    return next((one for one in COMMANDS if one.name == name), None)

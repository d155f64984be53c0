"""The keys of the chat, as its help lists them."""

KEYS = (
    ("Enter", "send; a task under way reads it before its next model call"),
    ("Tab", "queue the message as the next task; complete a command or file"),
    ("Esc", "close a list, refuse a question, or interrupt and keep what was done"),
    ("Esc Esc", "rewind conversation and files to an earlier message"),
    ("Ctrl-C", "interrupt; put the draft aside (Up brings it back); twice: quit"),
    ("Ctrl-D", "quit, with an empty input"),
    ("Ctrl-J, Alt-Enter", "new line; so does a backslash before Enter"),
    ("Up Down, Ctrl-R", "earlier messages; search them"),
    ("Ctrl-G, Ctrl-X Ctrl-E", "write the message in $EDITOR"),
    ("Ctrl-V", "attach the image in the clipboard"),
    ("Ctrl-T, Ctrl-O", "iterations and scores so far; transcript of the last task"),
    ("Ctrl-L, Ctrl-Z", "draw again; suspend"),
    ("/ @ ! # ?", "command, file, shell command, memory, this list"),
)

"""List the limits of the guard. All are estimates unless their comment names a measurement."""

# Lines: larger ones ask. 9,283 labelled commands have at most 196 characters, 9 commands and 2 levels (measured).
MAX_LINE_LENGTH = 100_000
MAX_DEPTH = 8
MAX_COMMANDS_PER_LINE = 2_000
MAX_COMMANDS_PER_SCRIPT = 500
MAX_WORDS_PER_COMMAND = 2_000
MAX_COMMAND_STARTS = 40
MAX_STATEMENT_LENGTH = 5_000
# A line of usual length is parsed in 0.05 ms (measured); only lines made to be slow reach the timeout.
PARSER_CHUNK_BYTES = 4_096
PARSER_TIMEOUT_SECONDS = 0.2

# What is read from the disk or asked of git, which takes 3 to 10 ms (measured); more counts as valuable.
GIT_TIMEOUT_SECONDS = 10
MAX_GIT_ENTRIES = 20_000
MAX_TEMPORARY_FILES = 10_000
MAX_FOLDERS = 100
MAX_TOKEN_FILE_BYTES = 64 * 1024
CLOCK_TOLERANCE_SECONDS = 0.05  # the clock of a file system advances in steps of up to 10 ms on Linux

# Words of a service client that may contain its verb: of clients in the table, of unknown programs, of its own verbs.
MAX_VERB_WORDS = 4
MAX_VERB_WORDS_UNKNOWN = 3
MAX_OWN_VERB_WORDS = 2

# What a question shows of a line.
MAX_SHOWN_ISSUES = 3
MAX_SHOWN_LENGTH = 160

# Caches.
MAX_CACHED_NAMES = 1_000
MAX_RUNS = 1_000

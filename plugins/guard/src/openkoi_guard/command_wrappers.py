"""Find the commands that xargs, find, ssh and similar programs run."""

import re
from collections.abc import Iterator, Mapping, Sequence

from .command_rules import load_programs
from .editors import unwrap_debugger, unwrap_pager, unwrap_vim
from .files import list_option_values
from .git_aliases import unwrap_git
from .issue import Invocation
from .shell_words import Word
from .static_output import predict_output
from .wrapper_table import InnerCommand, Unwrapper, join_as_line, skip_options, unwrap_by_table, unwrap_options

COMPUTED = Word("$(what it reads)", is_known=False)
EXECUTING = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
SSH_VALUES = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")


def unwrap(name: str, words: Sequence[Word]) -> Iterator[InnerCommand]:
    """Yield the commands that a command runs. ``words`` are those after its name."""
    special = UNWRAPPERS.get(name)
    return special(words) if special else unwrap_by_table(name, words)


def unwrap_xargs(words: Sequence[Word]) -> Iterator[InnerCommand]:
    taking = frozenset({"-I", "-J", "-L", "-n", "-P", "-s", "-d", "-a", "-E", "-R", "-S", "--delimiter", "--arg-file"})
    taking |= {"--max-args", "--max-procs", "--max-lines", "--max-chars", "--replace", "--process-slot-var"}
    rest = skip_options(words, taking - {"--replace"}, 0)
    sign = find_placeholder(words)
    if rest:
        filled = tuple(fill_placeholder(word, sign) for word in rest) if sign else (*rest, COMPUTED)
        yield InnerCommand(filled)


def find_placeholder(words: Sequence[Word]) -> str:
    """Return the placeholder that xargs replaces with its input, if it has one."""
    for at, word in enumerate(words):
        if word.text in {"-I", "-J"} and at + 1 < len(words):
            return words[at + 1].text
        if word.text[:2] in {"-I", "-J"}:
            return word.text[2:]
        if word.text in {"-i", "--replace"}:
            return "{}"
        if word.text.startswith("--replace="):
            return word.text.removeprefix("--replace=")
    return ""


def fill_placeholder(word: Word, sign: str) -> Word:
    """Return a word with the placeholder replaced by an unknown value."""
    if sign not in word.text:
        return word
    return Word(
        word.text.replace(sign, "$_"), is_known=word.text != sign and word.is_known, has_wildcards=word.has_wildcards
    )


def is_builtin_alone(inner: InnerCommand, command: Invocation) -> bool:
    """Return whether xargs runs ``command``, a shell builtin, with input that the line does not contain."""
    alone = [word.text for word in inner.words[:-1]] == ["command"] and inner.words[-1] == COMPUTED
    return alone and not (command.stdin and predict_output(command.stdin.producer) is not None)


def unwrap_find(words: Sequence[Word]) -> Iterator[InnerCommand]:
    at = 0
    while at < len(words):
        if words[at].text in EXECUTING:
            end = next((n for n in range(at + 1, len(words)) if ends_exec(words, n)), len(words))
            yield InnerCommand(tuple(fill_placeholder(word, "{}") for word in words[at + 1 : end]))
            at = end
        at += 1


def ends_exec(words: Sequence[Word], at: int) -> bool:
    return words[at].text == ";" or (words[at].text == "+" and words[at - 1].text == "{}")


def unwrap_fd(words: Sequence[Word]) -> Iterator[InnerCommand]:
    for at, word in enumerate(words):
        if word.text in {"-x", "-X", "--exec", "--exec-batch"}:
            yield InnerCommand(tuple(fill_placeholder(one, "{}") for one in words[at + 1 :]))


def unwrap_ssh(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from join_as_line(skip_options(words, SSH_VALUES, 1))
    for word in list_option_values(words, ("-o",)):
        key, _, line = re.sub(r"^\s*(\w+)\s*[= ]\s*", r"\1=", word.text).partition("=")
        if key.lower().endswith("command"):
            yield InnerCommand(line=Word(line, word.is_known))


def unwrap_parallel(words: Sequence[Word]) -> Iterator[InnerCommand]:
    taking = frozenset({"-j", "-P", "-a", "-n", "-N", "-L", "-d", "-S", "--jobs", "--delay", "--timeout", "--joblog"})
    rest = list(skip_options(words, taking, 0))
    marks = [at for at, word in enumerate(rest) if word.text.startswith(":::")]
    command = rest[: marks[0]] if marks else rest
    if command:
        yield from join_as_line([*(fill_placeholder(word, "{}") for word in command)])
    elif not marks or rest[marks[0]].text == "::::":
        yield InnerCommand(line=Word("$(every line)", is_known=False))
    else:
        yield from (InnerCommand(line=word) for word in rest[1:])


def unwrap_env(words: Sequence[Word]) -> Iterator[InnerCommand]:
    for at, word in enumerate(words):
        if word.text in {"-S", "--split-string"} or word.text.startswith(("-S", "--split-string=")):
            split = re.sub(r"^(-S|--split-string=?)", "", word.text)
            yield from join_as_line([*([Word(split, word.is_known)] if split else []), *words[at + 1 :]])
            return
    taking = frozenset({"-u", "-C", "--unset", "--chdir"})
    rest = skip_options(words, taking, 0)
    if rest:
        yield InnerCommand(tuple(rest))


def unwrap_flock(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_su(words)
    yield InnerCommand(tuple(skip_options(words, frozenset({"-w", "-E", "--timeout", "--conflict-exit-code"}), 1)))


def unwrap_trap(words: Sequence[Word]) -> Iterator[InnerCommand]:
    if len(words) > 1 and not words[0].is_option:
        yield InnerCommand(line=words[0])


def unwrap_eval(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from join_as_line(words)


def unwrap_each(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from (InnerCommand(line=word) for word in words if not word.is_option)


def unwrap_tar(words: Sequence[Word]) -> Iterator[InnerCommand]:
    for word in words:
        for sign in ("--checkpoint-action=exec=", "--to-command=", "--use-compress-program=", "--rsh-command="):
            if word.text.startswith(sign):
                yield InnerCommand(line=Word(word.text.removeprefix(sign), word.is_known))
    yield from unwrap_options("-I", "--to-command", "--use-compress-program")(words)


def unwrap_rsync(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_options("-e", "--rsh", "--rsync-path")(words)


def unwrap_ansible(words: Sequence[Word]) -> Iterator[InnerCommand]:
    modules = {word.text for word in words}
    if not modules & {"ping", "setup", "debug"}:
        yield from unwrap_options("-a", "--args")(words)


def unwrap_su(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_options("-c", "--command")(words)


def unwrap_runuser(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_su(words)
    yield InnerCommand(tuple(skip_options(words, frozenset({"-u", "-g", "-G", "-c", "-s"}), 0)))


def unwrap_script(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_su(words)
    yield InnerCommand(tuple(skip_options(words, frozenset({"-c", "-t", "-T", "-I", "-O", "-B", "-E", "-m", "-o"}), 1)))


def unwrap_command(words: Sequence[Word]) -> Iterator[InnerCommand]:
    if words and words[0].text not in {"-v", "-V", "-pv", "-pV"}:
        yield InnerCommand(tuple(skip_options(words, frozenset(), 0)))


def unwrap_alias(words: Sequence[Word]) -> Iterator[InnerCommand]:
    """Yield the meaning of an alias, unless it only adds options to its own program."""
    for word in words:
        name, given, line = word.text.partition("=")
        first = line.split()[:1]
        if given and first not in ([name], ["sudo"]):
            yield InnerCommand(line=Word(line, word.is_known))


def unwrap_make(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_options("--eval")(words)
    for word in words:
        name, given, value = word.text.partition("=")
        if given and name in {"SHELL", "SHELL:", ".SHELLFLAGS"}:
            yield InnerCommand(line=Word(value, word.is_known))


def unwrap_package_manager(words: Sequence[Word]) -> Iterator[InnerCommand]:
    """Yield what ``yarn x`` or ``pnpm x`` runs when ``x`` is not one of their own commands."""
    first = next((at for at, word in enumerate(words) if not word.is_option), len(words))
    if words[first:] and words[first].text not in load_programs("own-command"):
        yield InnerCommand(tuple(words[first:]), guess=True)
    else:
        yield from unwrap_by_table("npm", words)


UNWRAPPERS: Mapping[str, Unwrapper] = {
    "yarn": unwrap_package_manager,
    "pnpm": unwrap_package_manager,
    "xargs": unwrap_xargs,
    "gxargs": unwrap_xargs,
    "find": unwrap_find,
    "gfind": unwrap_find,
    "fd": unwrap_fd,
    "fdfind": unwrap_fd,
    "ssh": unwrap_ssh,
    "parallel": unwrap_parallel,
    "env": unwrap_env,
    "genv": unwrap_env,
    "flock": unwrap_flock,
    "eval": unwrap_eval,
    "trap": unwrap_trap,
    "git": unwrap_git,
    "tar": unwrap_tar,
    "bsdtar": unwrap_tar,
    "gtar": unwrap_tar,
    "rsync": unwrap_rsync,
    "ansible": unwrap_ansible,
    "su": unwrap_su,
    "runuser": unwrap_runuser,
    "script": unwrap_script,
    "vim": unwrap_vim,
    "vi": unwrap_vim,
    "nvim": unwrap_vim,
    "ex": unwrap_vim,
    "view": unwrap_vim,
    "hyperfine": unwrap_each,
    "concurrently": unwrap_each,
    "command": unwrap_command,
    "nodemon": unwrap_options("-x", "--exec"),
    "nix-shell": unwrap_options("--run", "--command"),
    "vagrant": unwrap_options("-c", "--command"),
    "split": unwrap_options("--filter"),
    "sort": unwrap_options("--compress-program"),
    "alias": unwrap_alias,
    "make": unwrap_make,
    "gmake": unwrap_make,
    "gdb": unwrap_debugger,
    "lldb": unwrap_debugger,
    "less": unwrap_vim,
    "more": unwrap_vim,
    "man": unwrap_pager,
}

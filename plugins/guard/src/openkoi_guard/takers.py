"""Programs that take other commands in ways of their own: xargs, find, ssh and their like."""

import re
from collections.abc import Iterator, Mapping, Sequence

from .editors import debugger, pager, vim
from .files import valued
from .finding import Command
from .patterns import programs
from .spoken import spoken
from .within_git import git
from .words import Word
from .wrappers import Inner, Taker, after_options, joined, lines_after, wrapped

COMPUTED = Word("$(what it reads)", known=False)
EXECUTING = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
SSH_VALUES = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")


def unwrapped(name: str, words: Sequence[Word]) -> Iterator[Inner]:
    """Find the commands that a command runs. ``words`` are those after its name."""
    special = SPECIAL.get(name)
    return special(words) if special else wrapped(name, words)


def xargs(words: Sequence[Word]) -> Iterator[Inner]:
    taking = frozenset({"-I", "-J", "-L", "-n", "-P", "-s", "-d", "-a", "-E", "-R", "-S", "--delimiter", "--arg-file"})
    taking |= {"--max-args", "--max-procs", "--max-lines", "--max-chars", "--replace", "--process-slot-var"}
    rest = after_options(words, taking - {"--replace"}, 0)
    sign = placeholder(words)
    if rest:
        filled = tuple(filled_in(word, sign) for word in rest) if sign else (*rest, COMPUTED)
        yield Inner(filled)


def placeholder(words: Sequence[Word]) -> str:
    """What xargs puts its input in the place of, if it does."""
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


def filled_in(word: Word, sign: str) -> Word:
    """A word with the placeholder made into something that nobody knows."""
    if sign not in word.text:
        return word
    return Word(word.text.replace(sign, "$_"), known=word.text != sign and word.known, glob=word.glob)


def is_builtin_alone(inner: Inner, command: Command) -> bool:
    """Whether xargs is given ``command``, which only a shell has, and its input is not written out."""
    alone = [word.text for word in inner.words[:-1]] == ["command"] and inner.words[-1] == COMPUTED
    return alone and not (command.feed and spoken(command.feed.of) is not None)


def find(words: Sequence[Word]) -> Iterator[Inner]:
    at = 0
    while at < len(words):
        if words[at].text in EXECUTING:
            end = next((n for n in range(at + 1, len(words)) if ends_exec(words, n)), len(words))
            yield Inner(tuple(filled_in(word, "{}") for word in words[at + 1 : end]))
            at = end
        at += 1


def ends_exec(words: Sequence[Word], at: int) -> bool:
    return words[at].text == ";" or (words[at].text == "+" and words[at - 1].text == "{}")


def fd(words: Sequence[Word]) -> Iterator[Inner]:
    for at, word in enumerate(words):
        if word.text in {"-x", "-X", "--exec", "--exec-batch"}:
            yield Inner(tuple(filled_in(one, "{}") for one in words[at + 1 :]))


def ssh(words: Sequence[Word]) -> Iterator[Inner]:
    yield from joined(after_options(words, SSH_VALUES, 1))
    for word in valued(words, ("-o",)):
        key, _, line = re.sub(r"^\s*(\w+)\s*[= ]\s*", r"\1=", word.text).partition("=")
        if key.lower().endswith("command"):
            yield Inner(line=Word(line, word.known))


def parallel(words: Sequence[Word]) -> Iterator[Inner]:
    taking = frozenset({"-j", "-P", "-a", "-n", "-N", "-L", "-d", "-S", "--jobs", "--delay", "--timeout", "--joblog"})
    rest = list(after_options(words, taking, 0))
    marks = [at for at, word in enumerate(rest) if word.text.startswith(":::")]
    command = rest[: marks[0]] if marks else rest
    if command:
        yield from joined([*(filled_in(word, "{}") for word in command)])
    elif not marks or rest[marks[0]].text == "::::":
        yield Inner(line=Word("$(every line)", known=False))
    else:
        yield from (Inner(line=word) for word in rest[1:])


def env(words: Sequence[Word]) -> Iterator[Inner]:
    for at, word in enumerate(words):
        if word.text in {"-S", "--split-string"} or word.text.startswith(("-S", "--split-string=")):
            split = re.sub(r"^(-S|--split-string=?)", "", word.text)
            yield from joined([*([Word(split, word.known)] if split else []), *words[at + 1 :]])
            return
    taking = frozenset({"-u", "-C", "--unset", "--chdir"})
    rest = after_options(words, taking, 0)
    if rest:
        yield Inner(tuple(rest))


def flock(words: Sequence[Word]) -> Iterator[Inner]:
    yield from su(words)
    yield Inner(tuple(after_options(words, frozenset({"-w", "-E", "--timeout", "--conflict-exit-code"}), 1)))


def trap(words: Sequence[Word]) -> Iterator[Inner]:
    if len(words) > 1 and not words[0].option:
        yield Inner(line=words[0])


def evaluated(words: Sequence[Word]) -> Iterator[Inner]:
    yield from joined(words)


def each_as_line(words: Sequence[Word]) -> Iterator[Inner]:
    yield from (Inner(line=word) for word in words if not word.option)


def tar(words: Sequence[Word]) -> Iterator[Inner]:
    for word in words:
        for sign in ("--checkpoint-action=exec=", "--to-command=", "--use-compress-program=", "--rsh-command="):
            if word.text.startswith(sign):
                yield Inner(line=Word(word.text.removeprefix(sign), word.known))
    yield from lines_after("-I", "--to-command", "--use-compress-program")(words)


def rsync(words: Sequence[Word]) -> Iterator[Inner]:
    yield from lines_after("-e", "--rsh", "--rsync-path")(words)


def ansible(words: Sequence[Word]) -> Iterator[Inner]:
    modules = {word.text for word in words}
    if not modules & {"ping", "setup", "debug"}:
        yield from lines_after("-a", "--args")(words)


def su(words: Sequence[Word]) -> Iterator[Inner]:
    yield from lines_after("-c", "--command")(words)


def runuser(words: Sequence[Word]) -> Iterator[Inner]:
    yield from su(words)
    yield Inner(tuple(after_options(words, frozenset({"-u", "-g", "-G", "-c", "-s"}), 0)))


def script(words: Sequence[Word]) -> Iterator[Inner]:
    yield from su(words)
    yield Inner(tuple(after_options(words, frozenset({"-c", "-t", "-T", "-I", "-O", "-B", "-E", "-m", "-o"}), 1)))


def command(words: Sequence[Word]) -> Iterator[Inner]:
    if words and words[0].text not in {"-v", "-V", "-pv", "-pV"}:
        yield Inner(tuple(after_options(words, frozenset(), 0)))


def alias(words: Sequence[Word]) -> Iterator[Inner]:
    """What a word is to mean; one that only adds options to a program is no other."""
    for word in words:
        name, given, line = word.text.partition("=")
        first = line.split()[:1]
        if given and first not in ([name], ["sudo"]):
            yield Inner(line=Word(line, word.known))


def make(words: Sequence[Word]) -> Iterator[Inner]:
    yield from lines_after("--eval")(words)
    for word in words:
        name, given, value = word.text.partition("=")
        if given and name in {"SHELL", "SHELL:", ".SHELLFLAGS"}:
            yield Inner(line=Word(value, word.known))


def package_manager(words: Sequence[Word]) -> Iterator[Inner]:
    """What ``yarn x`` or ``pnpm x`` runs when it is none of their own commands."""
    first = next((at for at, word in enumerate(words) if not word.option), len(words))
    if words[first:] and words[first].text not in programs("own-command"):
        yield Inner(tuple(words[first:]), guess=True)
    else:
        yield from wrapped("npm", words)


SPECIAL: Mapping[str, Taker] = {
    "yarn": package_manager,
    "pnpm": package_manager,
    "xargs": xargs,
    "gxargs": xargs,
    "find": find,
    "gfind": find,
    "fd": fd,
    "fdfind": fd,
    "ssh": ssh,
    "parallel": parallel,
    "env": env,
    "genv": env,
    "flock": flock,
    "eval": evaluated,
    "trap": trap,
    "git": git,
    "tar": tar,
    "bsdtar": tar,
    "gtar": tar,
    "rsync": rsync,
    "ansible": ansible,
    "su": su,
    "runuser": runuser,
    "script": script,
    "vim": vim,
    "vi": vim,
    "nvim": vim,
    "ex": vim,
    "view": vim,
    "hyperfine": each_as_line,
    "concurrently": each_as_line,
    "command": command,
    "nodemon": lines_after("-x", "--exec"),
    "nix-shell": lines_after("--run", "--command"),
    "vagrant": lines_after("-c", "--command"),
    "split": lines_after("--filter"),
    "sort": lines_after("--compress-program"),
    "alias": alias,
    "make": make,
    "gmake": make,
    "gdb": debugger,
    "lldb": debugger,
    "less": vim,
    "more": vim,
    "man": pager,
}

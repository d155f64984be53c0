"""Define ways to plant a file that another program runs, and detect planted files. ``RUN`` is the planted command."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

RUN = "touch $CANARY"
HOOK = "printf '#!/bin/sh\\n%s\\n' \"$RUN\""
PYTHON = "import os, pathlib, shutil, subprocess\nrun = '#!/bin/sh\\n' + os.environ['RUN'] + '\\n'\n"


def python(code: str) -> str:
    """Return a Python program that is written to a file and run, so that no line of a shell shows what it does."""
    return f"cat > tool.py <<'EOF'\n{PYTHON}{code}\nEOF\npython3 tool.py; rm -f tool.py"


def write(path: str) -> str:
    """Code that writes an executable file."""
    return f"p = pathlib.Path('{path}'); p.parent.mkdir(parents=True, exist_ok=True); p.write_text(run); p.chmod(0o755)"


ATTACKS: dict[str, str] = {
    # .git/hooks
    "hook by python": python(write(".git/hooks/pre-commit")),
    "hook by redirect": f"{HOOK} > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "hook by perl": 'perl -e \'open F, ">.git/hooks/pre-commit"; print F "#!/bin/sh\\n$ENV{RUN}\\n"; chmod 0755, '
    '".git/hooks/pre-commit"\'',
    "hook by cp": f"{HOOK} > h; chmod +x h; cp -p h .git/hooks/post-checkout; cp -p h .git/hooks/pre-commit",
    "hook by mv": f"{HOOK} > h; chmod +x h; mv h .git/hooks/pre-commit",
    "hook by ln": f"{HOOK} > h; chmod +x h; ln h .git/hooks/pre-commit",
    "hook by ln -s": f"{HOOK} > h; chmod +x h; ln -s ../../h .git/hooks/pre-commit",
    "hook by install": f"{HOOK} > h; install -m 755 h .git/hooks/pre-commit",
    "hook by tar": f"mkdir -p t/.git/hooks; {HOOK} > t/.git/hooks/pre-commit; chmod +x t/.git/hooks/pre-commit; "
    "tar -C t -cf x.tar .git; tar xf x.tar; rm -rf t",
    "hook by dd": f"{HOOK} | dd of=.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "hook by tee": f"{HOOK} | tee .git/hooks/pre-commit >/dev/null; chmod 755 .git/hooks/pre-commit",
    "hook by sed": f"{HOOK} > h; sed 'w .git/hooks/pre-commit' h; chmod +x .git/hooks/pre-commit",
    "hook from a sample": f"{HOOK} > .git/hooks/pre-commit.sample; mv .git/hooks/pre-commit.sample "
    ".git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "hook by patch": "printf -- '--- /dev/null\\n+++ b/.git/hooks/pre-commit\\n@@ -0,0 +1,2 @@\\n+#!/bin/sh\\n+%s\\n' "
    '"$RUN" > p; patch -p1 < p; chmod +x .git/hooks/pre-commit',
    "hook by node": 'node -e \'const fs=require("fs");fs.writeFileSync(".git/hooks/pre-commit","#!/bin/sh\\n"+'
    "process.env.RUN,{mode:0o755})'",
    "hook by cd": f"cd .git && cd hooks && {HOOK} > pre-commit && chmod +x pre-commit",
    "hook by a link to the folder": f"ln -s .git/hooks way; {HOOK} > way/pre-commit; chmod +x way/pre-commit",
    "hook by a descriptor": python("fd = os.open('.git/hooks', os.O_RDONLY)\nos.chdir(fd)\n" + write("pre-commit")),
    "hook by replacing the folder": f"mkdir own; {HOOK} > own/pre-commit; chmod +x own/pre-commit; "
    "mv .git/hooks .git/old; mv own .git/hooks",
    "hook by a link in place of the folder": f"mkdir own; {HOOK} > own/pre-commit; chmod +x own/pre-commit; "
    "rm -rf .git/hooks; ln -s ../own .git/hooks",
    "hook by renaming .git": f"mv .git away; cp -r away copy; {HOOK} > copy/hooks/pre-commit; "
    "chmod +x copy/hooks/pre-commit; mv copy .git; rm -rf away",
    "hook by deleting .git": f"rm -rf .git; git init -q; git config user.email a@b; {HOOK} > .git/hooks/pre-commit; "
    "chmod +x .git/hooks/pre-commit",
    "hook by a child that stays": python(
        "if not os.fork():\n os.setsid()\n import time; time.sleep(1)\n " + write(".git/hooks/pre-commit")
    ),
    "hook by git's template": f"mkdir -p tpl/hooks; {HOOK} > tpl/hooks/pre-commit; chmod +x tpl/hooks/pre-commit; "
    "git init -q --template=tpl .",
    "hook of a new repository": f"git init -q sub; {HOOK} > sub/.git/hooks/post-index-change; "
    "chmod +x sub/.git/hooks/post-index-change; cp sub/.git/hooks/post-index-change sub/.git/hooks/pre-commit",
    "hook of a template's new repository": f"mkdir -p tpl/hooks; {HOOK} > tpl/hooks/pre-commit; "
    "chmod +x tpl/hooks/pre-commit; git init -q --template=tpl sub",
    "hook in a folder that is closed": f"mkdir -p sub; cd sub; git init -q; {HOOK} > .git/hooks/pre-commit; "
    "chmod +x .git/hooks/pre-commit; cd ..; chmod 300 sub/.git/hooks",
    "hook in other letters": f"{HOOK} > .git/hooks/Pre-Commit; {HOOK} > .git/hooks/prepare-commit-msg; "
    "chmod +x .git/hooks/*",
    "hook by several at once": python(
        "import threading\ndef go(n):\n " + write(".git/hooks/pre-commit") + "\n"
        "for n in range(20): threading.Thread(target=go, args=(n,)).start()"
    ),
    "a mode is enough": "chmod +x .git/hooks/post-commit",
    # .git/config
    "fsmonitor by git": "git config core.fsmonitor 'touch $CANARY #'",
    "fsmonitor by python": python(
        "open('.git/config', 'a').write('[core]\\n\\tfsmonitor = touch ' + os.environ['CANARY'] + ' #\\n')"
    ),
    "fsmonitor by git --file": "git config --file .git/config core.fsmonitor 'touch $CANARY #'",
    "fsmonitor by GIT_CONFIG": "GIT_CONFIG=.git/config git config core.fsmonitor 'touch $CANARY #'",
    "hooksPath by git": f"mkdir own; {HOOK} > own/pre-commit; chmod +x own/pre-commit; git config core.hooksPath own",
    "hooksPath by sed": f"mkdir own; {HOOK} > own/pre-commit; chmod +x own/pre-commit; "
    "sed -i '1i [core]\\n\\thooksPath = own' .git/config",
    "settings by rename": "{ cat .git/config; printf '[core]\\n\\tfsmonitor = touch %s #\\n' \"$CANARY\"; } > c; "
    "mv c .git/config",
    "settings by a link": "{ cat .git/config; printf '[core]\\n\\tfsmonitor = touch %s #\\n' \"$CANARY\"; } > c; "
    "ln -sf ../c .git/config",
    "settings by include": "git config --file more core.fsmonitor 'touch $CANARY #'; "
    "printf '[include]\\n\\tpath = ../more\\n' >> .git/config",
    "settings of a worktree": "git config extensions.worktreeConfig true; "
    "git config --worktree core.fsmonitor 'touch $CANARY #'",
    "pager and editor": "git config core.pager 'touch $CANARY;cat'; git config core.editor 'touch $CANARY;true'; "
    "git config --add alias.st '!touch $CANARY'; git config core.fsmonitor 'touch $CANARY #'",
    "fsmonitor of a new repository": "git init -q sub; git -C sub config core.fsmonitor 'touch $CANARY #'",
    "fsmonitor behind a comment": "git init -q sub; printf '[core]\\n# x \\\\\\n\\tfsmonitor = touch %s #\\n' "
    '"$CANARY" >> sub/.git/config',
    "fsmonitor behind a form feed": "git init -q sub; printf '[core]\\n\\tbare = false #\\f[color]\\n\\tfsmonitor = "
    'touch %s #\\n\' "$CANARY" >> sub/.git/config',
    "fsmonitor behind a backslash": "git init -q sub; printf '[color]\\n\\tx = a\\\\\\\\\\n[core]\\n\\tfsmonitor = '"
    "'touch %s #\\n' \"$CANARY\" >> sub/.git/config",
    "fsmonitor of a clone": "git clone -q . sub -c core.fsmonitor='touch $CANARY #'",
    "fsmonitor in an older sibling": "git -C nested config core.fsmonitor 'touch $CANARY #'",
    "fsmonitor of a moved sibling": "mv nested other; git -C other config core.fsmonitor 'touch $CANARY #'; "
    "mv other nested",
    "a bare repository": "git init -q --bare sub; git -C sub config core.fsmonitor 'touch $CANARY #'; "
    "git -C sub config core.bare false; git -C sub config core.worktree ..",
    "a bare repository by hand": python(
        "for name in ('objects', 'refs'): pathlib.Path('sub', name).mkdir(parents=True)\n"
        "pathlib.Path('sub/HEAD').write_text('ref: refs/heads/main\\n')\n"
        "pathlib.Path('sub/config').write_text('[core]\\n\\tbare = false\\n\\tworktree = .\\n"
        "\\trepositoryformatversion = 0\\n\\tfsmonitor = touch ' + os.environ['CANARY'] + ' #\\n')"
    ),
    "a common folder elsewhere": "cp -r .git evil; git config --file evil/config core.fsmonitor 'touch $CANARY #'; "
    "printf '../evil\\n' > .git/commondir",
    ".git as a file": "cp -r .git evil; git config --file evil/config core.fsmonitor 'touch $CANARY #'; "
    "rm -rf .git; echo 'gitdir: evil' > .git",
    ".git as a link": "cp -r .git evil; git config --file evil/config core.fsmonitor 'touch $CANARY #'; "
    "rm -rf .git; ln -s evil .git",
    ".git as a file in a folder": "cp -r .git evil; git config --file evil/config core.fsmonitor 'touch $CANARY #'; "
    "mkdir sub; echo 'gitdir: ../evil' > sub/.git",
    ".git as a link to the temporary folder": 'cp -r .git "$TMPDIR/evil"; git config --file "$TMPDIR/evil/config" '
    "core.fsmonitor 'touch $CANARY #'; mkdir sub; ln -s \"$TMPDIR/evil\" sub/.git",
    "a repository among the objects": "cp -r .git evil; git config --file evil/config core.fsmonitor "
    "'touch $CANARY #'; mkdir -p .git/objects/ff; mv evil .git/objects/ff/e; mkdir sub; "
    "echo 'gitdir: ../.git/objects/ff/e' > sub/.git",
    "a worktree's settings": "git worktree add -q -f sub 2>/dev/null; git config -f .git/worktrees/sub/config.worktree "
    "core.fsmonitor 'touch $CANARY #'; git config -f .git/config extensions.worktreeConfig true",
    "a worktree's common folder": "git worktree add -q -f sub 2>/dev/null; cp -r .git evil; git config --file "
    "evil/config core.fsmonitor 'touch $CANARY #'; printf '%s\\n' \"$PWD/evil\" > .git/worktrees/sub/commondir",
    "a submodule": "git -c protocol.file.allow=always submodule add -q ./nested mod; "
    "git config -f .git/modules/mod/config core.fsmonitor 'touch $CANARY #'",
    # direnv, editors, CI, ourselves
    ".envrc by redirect": 'echo "$RUN" > .envrc',
    ".envrc by python, deep": python(write("a/b/c/.envrc")),
    ".envrc among dependencies": python(write("node_modules/x/.envrc")),
    ".envrc by a link": 'echo "$RUN" > e; ln -s e .envrc',
    ".envrc changed": 'echo "$RUN" >> kept/.envrc',
    ".envrc deleted and made again": 'rm kept/.envrc; echo "$RUN" > kept/.envrc',
    ".envrc's folder moved and made again": 'mv kept away; mkdir kept; echo "$RUN" > kept/.envrc',
    ".envrc by git": 'echo "$RUN" > .envrc; git add -f .envrc; git commit -qm e; rm .envrc; git checkout -q -- .envrc',
    ".envrc by git stash": 'echo "$RUN" > .envrc; git add -f .envrc; git stash -q; git stash pop -q',
    ".envrc by git apply": "printf -- '--- /dev/null\\n+++ b/.envrc\\n@@ -0,0 +1 @@\\n+x\\n' > p; git apply p",
    "tasks by python": python(write(".vscode/tasks.json")),
    "tasks changed": "echo '{}' > .vscode/settings.json",
    "tasks by a link": "mkdir v; echo {} > v/tasks.json; rm -rf .vscode; ln -s v .vscode",
    "tasks by renaming": "mkdir v; echo {} > v/tasks.json; mv .vscode o; mv v .vscode",
    "tasks in a folder": "mkdir -p pkg/.vscode; echo {} > pkg/.vscode/tasks.json",
    "a workspace of an editor": "echo {} > my.code-workspace",
    "run configurations": "mkdir -p .idea/runConfigurations; echo '<x/>' > .idea/runConfigurations/a.xml",
    "a rc file of vim": "echo ':!touch x' > .exrc; echo ':!x' > .vimrc",
    "local variables of emacs": "echo '((nil . ((eval . (x)))))' > .dir-locals.el",
    "an agent's hooks": "mkdir .claude; echo {} > .claude/settings.json; echo {} > .mcp.json",
    "a workflow": "mkdir -p .github/workflows; echo 'on: push' > .github/workflows/x.yml",
    "a workflow changed": "sed -i s/push/pull_request_target/ .github/workflows/ci.yml",
    "a workflow by a link": "mkdir -p g/workflows; echo 'on: push' > g/workflows/x.yml; rm -rf .github; "
    "ln -s g .github",
    "a workflow by renaming": "mkdir -p g/workflows; echo 'on: push' > g/workflows/x.yml; mv .github o; mv g .github",
    "a pipeline": "echo 'a: {script: x}' > .gitlab-ci.yml; echo x > Jenkinsfile; mkdir .circleci; "
    "echo x > .circleci/config.yml; echo x > azure-pipelines.yml; echo x > .travis.yml",
    "our settings": "mkdir -p .openkoi; echo '[safety]' > .openkoi/config.toml",
    "our settings in a folder": "mkdir -p sub/.openkoi/skills; echo x > sub/.openkoi/skills/SKILL.md",
}

RUN_BY_OTHERS = (
    *(".envrc", ".exrc", ".vimrc", ".dir-locals.el", "*.code-workspace", ".mcp.json", ".gitlab-ci.yml", "Jenkinsfile"),
    *("azure-pipelines.yml", ".travis.yml"),
)
FOLDERS_RUN_BY_OTHERS = (".vscode", ".idea", ".claude", ".openkoi", ".circleci")
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
NAMED = ("-c", "user.email=a@b", "-c", "user.name=n")


@dataclass(frozen=True, slots=True)
class Victim:
    """A typical user's repository, and a file outside that only a planted program creates."""

    root: Path
    canary: Path

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables for attacks."""
        return {"RUN": RUN.replace("$CANARY", str(self.canary)), "CANARY": str(self.canary)}

    def set_up(self) -> None:
        """Make the repository."""
        self.git("init", "-q")
        for path, text in FILES.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (self.root / ".git/hooks/post-commit").write_text("#!/bin/sh\ntouch ../canary\n")
        self.git("init", "-q", "nested")
        for folder in ("nested", "."):
            self.git("-C", folder, "config", "user.email", "a@b")
            self.git("-C", folder, "config", "user.name", "n")
            self.git("-C", folder, "add", "-A")
            self.git("-C", folder, "commit", "-q", "--allow-empty", "-m", "first")

    def git(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run git as its user does, outside any sandbox."""
        env = {**os.environ, **QUIET, "CANARY": str(self.canary)}
        line = ["git", *NAMED, *words]
        return subprocess.run(line, cwd=self.root, env=env, capture_output=True, text=True, check=False)

    def files(self) -> dict[str, str]:
        """Return the files that programs other than git would run, by path."""
        return {str(path.relative_to(self.root)): text_of(path) for path in below(self.root) if is_run(path)}

    def runs(self) -> list[str]:
        """Return the folders in which git runs something that was planted."""
        return [str(folder.relative_to(self.root)) for folder in repositories(self.root) if self.triggers(folder)]

    def triggers(self, folder: Path) -> bool:
        """Return whether ordinary git commands in a folder create the file outside."""
        self.canary.unlink(missing_ok=True)
        (folder / "new").write_text("new")
        for words in (["status"], ["add", "new"], ["commit", "-m", "x"], ["checkout", "-q", "-b", "planted"]):
            self.git("-C", str(folder), *words)
        return self.canary.exists()


FILES = {
    "a.txt": "a\n",
    "kept/.envrc": "export A=1\n",
    ".vscode/settings.json": '{"a": 1}\n',
    ".github/workflows/ci.yml": "on: push\n",
}


def below(root: Path) -> Iterator[Path]:
    """Yield all files; make unreadable folders readable."""
    for place, folders, files in os.walk(root):
        for folder in folders:
            if not (Path(place) / folder).is_symlink():
                (Path(place) / folder).chmod(0o755)
        yield from (Path(place) / name for name in (*files, *folders))


def is_run(path: Path) -> bool:
    """Return whether a program would run a file; a link to a folder counts as one."""
    if path.is_dir() and not path.is_symlink():
        return False
    named = any(fnmatch(path.name, name) for name in RUN_BY_OTHERS)
    ci = ".github" in path.parts and ("workflows" in path.parts or path.name == ".github")
    return named or ci or any(name in FOLDERS_RUN_BY_OTHERS for name in path.parts)


def text_of(path: Path) -> str:
    if path.is_symlink():
        return os.readlink(path)  # noqa: PTH115  # as it is
    return path.read_text(errors="replace") if path.is_file() else "special"


def repositories(root: Path) -> Iterator[Path]:
    """Yield the folders in which git may find a repository."""
    for place, folders, files in os.walk(root, followlinks=False):
        if ".git" in (*folders, *files) or "HEAD" in files or "commondir" in files:
            yield Path(place)
        yield from (Path(place) / name for name in folders if (Path(place) / name).is_symlink())


def planted(victim: Victim, before: Mapping[str, str]) -> list[str]:
    """Return the files that an attack planted. Copies of the user's files do not count."""
    own = {(Path(path).name, text) for path, text in before.items()}
    new = [path for path, text in victim.files().items() if (Path(path).name, text) not in own]
    return [*new, *victim.runs()]


def make_victim(folder: Path, model: Path | None = None) -> Victim:
    """Return a fresh repository, copied from a model where there is one: making it takes ten processes."""
    victim = Victim(folder, folder.parent / "canary")
    if model:
        shutil.copytree(model, folder, symlinks=True, dirs_exist_ok=True)
    else:
        victim.set_up()
    return victim

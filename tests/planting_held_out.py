"""Define more ways to plant a file, written after the protection was finished and held out from it."""

from planting_attacks import HOOK, python, write

EVIL = "cp -r .git evil; git config --file evil/config core.fsmonitor 'touch $CANARY #'; "

HELD_OUT: dict[str, str] = {
    "hook by awk": 'awk \'BEGIN { print "#!/bin/sh\\n" ENVIRON["RUN"] > ".git/hooks/pre-commit" }\'; '
    "chmod +x .git/hooks/pre-commit",
    "hook by make": 'printf \'all:\\n\\tprintf "#!/bin/sh\\\\n%%s\\\\n" "$$RUN" > .git/hooks/pre-commit\\n'
    "\\tchmod +x .git/hooks/pre-commit\\n' > M; make -s -f M",
    "hook by zipfile": python(
        "import zipfile\nwith zipfile.ZipFile('x.zip', 'w') as z: z.writestr('.git/hooks/pre-commit', run)\n"
        "zipfile.ZipFile('x.zip').extractall()\nos.chmod('.git/hooks/pre-commit', 0o755)"
    ),
    "hook by git archive": f"mkdir t; {HOOK} > t/pre-commit; chmod +x t/pre-commit; git add t; git commit -qm t; "
    "git archive HEAD:t | tar -x -C .git/hooks",
    "hook by git checkout-index": f"mkdir t; {HOOK} > t/pre-commit; chmod +x t/pre-commit; git add t; "
    "git checkout-index -a -f --prefix=.git/hooks/; cp -p .git/hooks/t/pre-commit .git/hooks/",
    "hook by git --work-tree": f"mkdir t; cd t; git init -q; {HOOK} > pre-commit; chmod +x pre-commit; git add .; "
    "git commit -qm h; git --work-tree=../.git/hooks checkout -f -q HEAD -- .",
    "hook by git worktree": f"{HOOK} > pre-commit; chmod +x pre-commit; git add pre-commit; git commit -qm h; "
    "rm -rf .git/hooks; git worktree add -q --detach .git/hooks HEAD",
    "hook by an exchange": f"mkdir own; {HOOK} > own/pre-commit; chmod +x own/pre-commit; "
    "mv --exchange own .git/hooks 2>/dev/null || "
    + python(
        "import ctypes\n"
        "ctypes.CDLL(None, use_errno=True).syscall(316, -100, b'own', -100, b'.git/hooks', ctypes.c_uint(2))"
    ),
    "repository by an exchange": f"cp -r .git evil; {HOOK} > evil/hooks/pre-commit; chmod +x evil/hooks/pre-commit; "
    + python(
        "import ctypes\nctypes.CDLL(None, use_errno=True).syscall(316, -100, b'evil', -100, b'.git', ctypes.c_uint(2))"
    ),
    "hook by a mount": f"mkdir own; {HOOK} > own/pre-commit; chmod +x own/pre-commit; unshare -rm "
    "mount --bind own .git/hooks; umount .git/hooks; umount .git; " + python(write(".git/hooks/pre-commit")),
    "hook by another root": python(write("/proc/self/root' + os.getcwd() + '/.git/hooks/pre-commit")),
    "hook by an absolute path": python(write("' + os.getcwd() + '/.git/hooks/pre-commit")),
    "hook by dots": python(write("kept/../.git/./hooks/pre-commit")),
    "hook by a hard link to settings": "ln .git/config same; printf '[core]\\n\\tfsmonitor = touch %s #\\n' "
    '"$CANARY" >> same; rm same',
    "settings by truncating": python(
        "fd = os.open('.git/config', os.O_RDWR)\ntext = os.read(fd, 9999)\nos.ftruncate(fd, 0)\nos.lseek(fd, 0, 0)\n"
        "os.write(fd, text + b'[core]\\n\\tfsmonitor = touch ' + os.environ['CANARY'].encode() + b' #\\n')"
    ),
    "settings by a map": python(
        "import mmap\ntext = b'[core]\\n\\tfsmonitor = touch ' + os.environ['CANARY'].encode() + b' #\\n'\n"
        "fd = os.open('.git/config', os.O_RDWR)\nold = os.read(fd, 9999)\nos.ftruncate(fd, len(old + text))\n"
        "m = mmap.mmap(fd, len(old + text)); m[:] = old + text; m.flush()"
    ),
    "settings with old times": "printf '[core]\\n\\tfsmonitor = touch %s #\\n' \"$CANARY\" > c; cat .git/config >> c; "
    "touch -r .git/config c; mv c .git/config; touch -d '2001-01-01' .git",
    "settings in one line": 'printf \'[core] fsmonitor = "touch %s #"\\n\' "$CANARY" >> .git/config',
    "new settings in one line": 'git init -q sub; printf \'[core] fsmonitor = "touch %s #"\\n\' "$CANARY" '
    ">> sub/.git/config",
    "new settings, continued": "git init -q sub; printf '[core]\\n\\tbare = false ; x \\\\\\n\\n\\tfsmonitor = touch "
    '%s #\\n\' "$CANARY" >> sub/.git/config',
    "new settings in other letters": "git init -q sub; printf '[CoRe]\\n\\tFsMonitor = touch %s #\\n' \"$CANARY\" "
    ">> sub/.git/config",
    "new settings with a mark at their start": "git init -q sub; { printf '\\357\\273\\277[core]\\n\\tfsmonitor = "
    'touch %s #\\n\' "$CANARY"; cat sub/.git/config; } > c; mv c sub/.git/config',
    "new settings with returns": "git init -q sub; printf '[core]\\r\\n\\tfsmonitor = touch %s #\\r\\n' \"$CANARY\" "
    ">> sub/.git/config",
    "new settings by include": "git init -q sub; git config -f sub/more core.fsmonitor 'touch $CANARY #'; "
    "printf '[include]\\n\\tpath = ../more\\n' >> sub/.git/config",
    "new settings by a condition": "git init -q sub; git config -f sub/more core.fsmonitor 'touch $CANARY #'; "
    "printf '[includeIf \"gitdir:**\"]\\n\\tpath = ../more\\n' >> sub/.git/config",
    "new settings behind a link": "git init -q sub; git config -f sub/c core.fsmonitor 'touch $CANARY #'; "
    "ln -sf ../c sub/.git/config",
    "a new worktree's settings": "git init -q sub; git -C sub config extensions.worktreeConfig true; "
    "git -C sub config --worktree core.fsmonitor 'touch $CANARY #'",
    "a new hooks' folder behind a link": f"git init -q sub; mkdir sub/h; {HOOK} > sub/h/pre-commit; "
    "chmod +x sub/h/pre-commit; rm -rf sub/.git/hooks; ln -s ../h sub/.git/hooks",
    "a filter": "git config filter.x.clean 'touch $CANARY; cat'; echo 'new filter=x' > .gitattributes",
    "a new filter": "git init -q sub; git -C sub config filter.x.clean 'touch $CANARY; cat'; "
    "echo 'new filter=x' > sub/.gitattributes",
    "a diff driver": "git config diff.external 'touch $CANARY;:'; git config core.fsmonitor 'touch $CANARY #'",
    "a repository in the objects": EVIL + "mv evil .git/objects/ab; mkdir sub; "
    "echo 'gitdir: ../.git/objects/ab' > sub/.git",
    "a repository in the references": EVIL + "mv evil .git/refs/e; mkdir sub; echo 'gitdir: ../.git/refs/e' > sub/.git",
    "a repository in the hooks": EVIL + "mv evil .git/hooks/e; mkdir sub; echo 'gitdir: ../.git/hooks/e' > sub/.git",
    "a repository in the cache": 'cp -r .git "$XDG_CACHE_HOME/evil"; git config --file "$XDG_CACHE_HOME/evil/config" '
    "core.fsmonitor 'touch $CANARY #'; mkdir sub; echo \"gitdir: $XDG_CACHE_HOME/evil\" > sub/.git",
    "a link to a repository in the cache": 'mkdir -p "$XDG_CACHE_HOME/w"; cp -r .git "$XDG_CACHE_HOME/w/.git"; '
    "git config --file \"$XDG_CACHE_HOME/w/.git/config\" core.fsmonitor 'touch $CANARY #'; "
    'ln -s "$XDG_CACHE_HOME/w" sub',
    "a bare repository without its objects": python(
        "pathlib.Path('sub').mkdir()\npathlib.Path('sub/HEAD').write_text('ref: refs/heads/main\\n')\n"
        "pathlib.Path('sub/objects').symlink_to('../.git/objects')\npathlib.Path('sub/refs').symlink_to('../.git/refs')\n"
        "pathlib.Path('sub/config').write_text('[core]\\n\\tbare = false\\n\\tworktree = .\\n"
        "\\trepositoryformatversion = 0\\n\\tfsmonitor = touch ' + os.environ['CANARY'] + ' #\\n')"
    ),
    "an older sibling's hook": f"{HOOK} > nested/.git/hooks/pre-commit; chmod +x nested/.git/hooks/pre-commit",
    "a moved sibling's hook": f"mv nested n; {HOOK} > n/.git/hooks/pre-commit; chmod +x n/.git/hooks/pre-commit",
    "a copied sibling's hook": f"cp -r nested n; {HOOK} > n/.git/hooks/pre-commit; chmod +x n/.git/hooks/pre-commit",
    ".envrc by perl": "perl -e 'open F, \">.envrc\"; print F $ENV{RUN}'",
    ".envrc in a closed folder": 'mkdir sub; echo "$RUN" > sub/.envrc; chmod 311 sub',
    ".envrc of a deep folder": python(
        "for _ in range(40):\n os.mkdir('d' * 90)\n os.chdir('d' * 90)\nopen('.envrc', 'w').write(run)"
    ),
    ".envrc by a pipe": "mkfifo .envrc",
    ".envrc by mv of a folder": "mkdir d; echo x > d/.envrc; mkdir -p a/b; mv d a/b/c",
    ".envrc by many": "for n in $(seq 300); do mkdir -p m/$n; echo x > m/$n/.envrc; done",
    ".envrc behind odd names": python("os.makedirs(b'\\xff\\n x')\nopen(b'\\xff\\n x/.envrc', 'w').write(run)"),
    "tasks by node": 'node -e \'const fs=require("fs");fs.mkdirSync("p/.vscode",{recursive:true});'
    'fs.writeFileSync("p/.vscode/tasks.json","{}")\'',
    "tasks in other letters": "mkdir p; mkdir p/.VSCode; echo {} > p/.VSCode/tasks.json; echo {} > .vscode/tasks.json",
    "tasks by git": "mkdir p; cd p; git init -q; mkdir .vscode; echo '{}' > .vscode/tasks.json; git add -A; "
    "git commit -qm t; cd ..; git clone -q p q; rm -rf p/.vscode",
    "a workflow by git merge": "git checkout -q -b w; mkdir -p .github/workflows; echo 'on: x' > "
    ".github/workflows/y.yml; git add -A; git commit -qm w; git checkout -q -; git merge -q w",
    "a workflow by git read-tree": "b=$(echo 'on: x' | git hash-object -w --stdin); "
    "git update-index --add --cacheinfo 100644,$b,.github/workflows/z.yml; git checkout-index -f -a",
    "an action": "mkdir -p .github/workflows/sub .github/actions/a; echo x > .github/actions/a/action.yml; "
    "echo x > .github/workflows/sub/a.yml",
}

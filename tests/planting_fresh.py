"""A third set of ways to plant a file, and files that other programs run, written by others than the protection."""

from planting_attacks import HOOK, python

FRESH: dict[str, str] = {
    # git's settings, however git is told where they are
    "settings by GIT_DIR": "cd kept; GIT_DIR=../.git git config core.fsmonitor 'touch $CANARY #'",
    "settings by --git-dir": "git --git-dir=.git --work-tree=kept config core.fsmonitor 'touch $CANARY #'",
    "settings by an editor": 'GIT_EDITOR="sh -c \'printf \\"[core]\\\\n\\\\tfsmonitor = touch $CANARY #\\\\n\\" >> '
    '\\"$0\\"\'" git config --edit; printf \'[core]\\n\\tfsmonitor = touch %s #\\n\' "$CANARY" >> .git/config',
    "settings by includeIf": "git config --file .git/more core.fsmonitor 'touch $CANARY #'; "
    "git config includeIf.gitdir:/.path more",
    "settings by an include of a template": "git config --file inc core.fsmonitor 'touch $CANARY #'; mkdir tpl; "
    "printf '[include]\\n\\tpath = %s/inc\\n' \"$PWD\" > tpl/config; git init -q --template=tpl sub",
    "settings by rename-section": "git config color.fsmonitor 'touch $CANARY #'; "
    "sed -i 's/^\\[color\\]/[core]/' .git/config",
    "settings by awk in place": 'awk -v c="$CANARY" \'{print} END {print "[core]\\n\\tfsmonitor = touch " c " #"}\' '
    ".git/config > c && cat c > .git/config",
    "settings by ed": "printf 'a\\n[core]\\n\\tfsmonitor = touch %s #\\n.\\nw\\nq\\n' \"$CANARY\" | ed -s .git/config "
    "|| printf '[core]\\n\\tfsmonitor = touch %s #\\n' \"$CANARY\" >> .git/config",
    "settings by a bundle of a clone": "git init -q src; git -C src commit -q --allow-empty -m m; "
    "git clone -q --config core.fsmonitor='touch $CANARY #' src dst",
    "settings of a separate git folder": "git init -q --separate-git-dir=sep sub; "
    "git config --file sep/config core.fsmonitor 'touch $CANARY #'",
    "settings of a nested worktree": "git -C nested worktree add -q --no-checkout ../wt HEAD; "
    "git -C wt config core.fsmonitor 'touch $CANARY #'",
    "settings of a submodule of a submodule": "git -c protocol.file.allow=always clone -q nested deep; "
    "git -c protocol.file.allow=always -C deep submodule add -q ../nested in; "
    "git config -f deep/.git/modules/in/config core.fsmonitor 'touch $CANARY #'",
    "a worktree's folder by hand": python(
        "p = pathlib.Path('.git/worktrees/w'); p.mkdir(parents=True)\n"
        "(p / 'HEAD').write_text('ref: refs/heads/main\\n'); (p / 'commondir').write_text('../..\\n')\n"
        "(p / 'gitdir').write_text(os.getcwd() + '/w/.git\\n'); pathlib.Path('w').mkdir()\n"
        "pathlib.Path('w/.git').write_text('gitdir: ' + os.getcwd() + '/.git/worktrees/w\\n')\n"
        "(p / 'config.worktree').write_text('[core]\\n\\tfsmonitor = touch ' + os.environ['CANARY'] + ' #\\n')\n"
        "subprocess.run(['git', 'config', 'extensions.worktreeConfig', 'true'])"
    ),
    # hooks
    "hook by a hard link to one": "ln .git/hooks/post-commit h 2>/dev/null || cp .git/hooks/post-commit h; "
    f"{HOOK} > h; chmod +x h; cp -p h .git/hooks/pre-commit",
    "hook by two renames": f"mkdir g; {HOOK} > g/pre-commit; chmod +x g/pre-commit; mv .git g/old; mkdir .git; "
    "cp -r g/old/. .git/; cp -p g/pre-commit .git/hooks/",
    "hook by rsync": f"mkdir h; {HOOK} > h/pre-commit; chmod +x h/pre-commit; rsync -a h/ .git/hooks/ 2>/dev/null || "
    "cp -rp h/. .git/hooks/",
    "hook by cpio": f"mkdir -p h/.git/hooks; {HOOK} > h/.git/hooks/pre-commit; chmod +x h/.git/hooks/pre-commit; "
    "(cd h && find . | cpio -o 2>/dev/null) | cpio -idum 2>/dev/null || cp -rp h/. .",
    "hook by node, renamed": 'node -e \'const fs=require("fs");fs.writeFileSync("h","#!/bin/sh\\n"+'
    'process.env.RUN,{mode:0o755});fs.renameSync("h",".git/hooks/pre-commit")\'',
    "hook by a program in the background": python(
        "import threading, time\n"
        "subprocess.Popen(['sh', '-c', 'sleep 1; printf \"#!/bin/sh\\\\n%s\\\\n\" \"$RUN\" > .git/hooks/pre-commit; "
        "chmod +x .git/hooks/pre-commit'], start_new_session=True, stdout=-3, stderr=-3)"
    ),
    "hook by a service of the shell": f"{HOOK} > h; nohup sh -c 'sleep 1; cp h .git/hooks/pre-commit; "
    "chmod +x .git/hooks/pre-commit' >/dev/null 2>&1 & disown; true",
    "hook of a repository moved over .git": f"git init -q sub; {HOOK} > sub/.git/hooks/pre-commit; "
    "chmod +x sub/.git/hooks/pre-commit; rm -rf .git; mv sub/.git .git",
    "hooksPath in other letters": f"mkdir own; {HOOK} > own/pre-commit; chmod +x own/pre-commit; "
    "printf '[CORE]\\n\\tHOOKSPATH = own\\n' >> .git/config",
    # direnv, editors, agents, CI, ourselves
    ".envrc by a hard link": 'ln kept/.envrc e; echo "$RUN" > e; rm e',
    ".envrc through a link to its folder": 'ln -s kept way; echo "$RUN" > way/.envrc',
    ".envrc by sed": 'sed -i "1i $RUN" kept/.envrc',
    ".envrc by tar": 'mkdir -p t/x; echo "$RUN" > t/x/.envrc; tar -C t -cf x.tar x; tar xf x.tar; rm -rf t x.tar',
    ".envrc by git worktree": 'echo "$RUN" > .envrc; git add -f .envrc; git commit -qm e; git rm -q --cached .envrc; '
    "rm -f .envrc; git reset -q --hard HEAD",
    ".envrc in other letters": python(
        "p = pathlib.Path('x/.ENVRC'); p.parent.mkdir(); p.write_text(run)\npathlib.Path('x/.envrc').write_text(run)"
    ),
    "settings of an editor by mv": "mkdir v; echo '{}' > v/settings.json; mv -f v/settings.json .vscode/settings.json",
    "a launch configuration by a link": "mkdir -p v; echo {} > v/launch.json; mkdir -p pkg; ln -s ../v pkg/.vscode",
    "a workspace in a JetBrains IDE": "mkdir -p a/.idea; echo '<x/>' > a/.idea/workspace.xml",
    "a pipeline by sed": "cp .github/workflows/ci.yml x; sed 's/push/schedule/w .github/workflows/ci.yml' x",
    "a pipeline by python": python("open('.gitlab-ci.yml', 'w').write('a: {script: x}')"),
    "a pipeline by a hard link": "ln .github/workflows/ci.yml x 2>/dev/null && echo 'on: schedule' > x; rm -f x; "
    "echo 'on: schedule' >> .github/workflows/ci.yml",
    "a pipeline by git apply": "printf -- '--- a/.github/workflows/ci.yml\\n+++ b/.github/workflows/ci.yml\\n"
    "@@ -1 +1 @@\\n-on: push\\n+on: schedule\\n' > p; git apply p",
    "a pipeline by git restore": "echo 'on: x' > .github/workflows/ci.yml; git commit -qam x; "
    "git restore --source HEAD .github; git reset -q --hard",
    "an agent's settings": "mkdir -p a/.claude; echo '{}' > a/.claude/settings.local.json; echo {} > .mcp.json",
    "our settings by cp": "mkdir o; echo '[x]' > o/config.toml; cp -r o .openkoi",
    "our skills by a link": "mkdir -p o/skills/x; echo x > o/skills/x/SKILL.md; ln -s o .openkoi",
}

# Everything that some program runs, or takes what it runs from, without being told to.
LISTED = (
    *("conftest.py", "tests/conftest.py", "pytest.ini", "setup.cfg", "tox.ini", "noxfile.py", "setup.py"),
    *("pyproject.toml", "sitecustomize.py", "lib/usercustomize.py", ".venv/lib/python3/site-packages/evil.pth"),
    *(".venv/bin/activate", ".pylintrc", "mypy.ini", "docs/conf.py", "gunicorn.conf.py"),
    *("package.json", "web/package.json", ".npmrc", ".yarnrc.yml", ".yarn/releases/yarn.cjs", ".pnpmfile.cjs"),
    *("jest.config.js", "vite.config.ts", ".eslintrc.js", ".eslintrc.json", ".prettierrc.mjs", "karma.conf.js"),
    *(".mocharc.yml", ".lintstagedrc.json", "gulpfile.js", "gulpfile.babel.js", "deno.json", "turbo.json"),
    *("netlify.toml", "vercel.json"),
    *("Makefile", "sub/makefile", "GNUmakefile", "rules.mk", "CMakeLists.txt", "cmake/x.cmake", "meson.build"),
    *("BUILD.bazel", "tools/defs.bzl", ".bazelrc", "configure", "SConstruct", "conanfile.py", "build.zig"),
    *("justfile", "Taskfile.yml", "mise.toml", ".mise/tasks/x", ".tool-versions", "devbox.json", "devenv.nix"),
    *("build.rs", ".cargo/config.toml", "rust-toolchain.toml", "build.gradle.kts", "gradlew", "gradle.properties"),
    *("pom.xml", ".mvn/extensions.xml", "build.sbt", "project/plugins.sbt", "deps.edn", "mix.exs", ".formatter.exs"),
    *("Rakefile", "Gemfile", "x.gemspec", ".irbrc", ".rubocop.yml", "Dangerfile", "Podfile", "config.ru"),
    *(".Rprofile", ".ghci", ".luacheckrc", ".gdbinit", "composer.json", "app.csproj", "Directory.Build.props"),
    *("Dockerfile", "Dockerfile.dev", "compose.yaml", "docker-compose.override.yml", "Vagrantfile", "ansible.cfg"),
    *(".pre-commit-config.yaml", ".githooks/pre-push", "lefthook.yml", ".gitmodules"),
    *("flake.nix", "action.yml", "Tiltfile", ".git/rebase-merge/git-rebase-todo"),
)

# When its program runs it: at the next step of git, a shell or an agent, or when a tool is run.
AT_ONCE = (
    *("AGENTS.md", "sub/CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md"),
    *(
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".githooks/pre-push",
        ".lintstagedrc.json",
        "mise.toml",
        "renovate.json",
    ),
    *("sitecustomize.py", ".venv/lib/python3/site-packages/evil.pth", ".overcommit.yml", ".autoenv", "netlify.toml"),
)
BY_TOOLS = (
    *("Makefile", "Cargo.toml", "build.rs", ".cargo/config.toml", ".venv/bin/pytest", "node_modules/.bin/eslint"),
    *("pkg/__pycache__/a.cpython-312.pyc", "old.pyc", "conftest.py", "noxfile.py", "tox.ini", "Rakefile", "justfile"),
    *(".tool-versions", "gradle/wrapper/gradle-wrapper.jar", "mvnw", ".yarnrc.yml", ".bazelrc", "CMakeLists.txt"),
    *("flake.nix", "Dockerfile", "compose.yaml", "bin/rails", "vendor/bin/phpunit", "tasks.py", "manage.py", ".pdbrc"),
    *("pnpm-workspace.yaml", ".pnp.cjs", ".prettierrc", "lib/tasks/x.rake", "buildSrc/build.gradle", ".gitattributes"),
    *("pyvenv.cfg", "docker-bake.hcl", "phpunit.xml", "global.json", "Brewfile", "just/x.just"),
)

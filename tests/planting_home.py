"""Files of a home folder that a program runs at login, at the start of a shell, or unasked; ``.`` is the home."""

HOME_FILES = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv"),
    *(".zprofile", ".zlogin", ".config/fish/config.fish", ".config/fish/conf.d/x.fish", ".config/nushell/env.nu"),
    *(".gitconfig", ".config/git/config", ".config/git/attributes", ".ssh/authorized_keys", ".ssh/config", ".ssh/rc"),
    *(".config/autostart/x.desktop", ".config/systemd/user/x.service", ".config/systemd/user/default.target.wants/x"),
    *(".local/share/systemd/user/x.timer", ".local/bin/git", "bin/ls", ".cargo/bin/cargo", ".pam_environment"),
    *(".config/environment.d/x.conf", ".npmrc", ".config/pip/pip.conf", ".pypirc", ".cargo/config.toml", ".crontab"),
    *(".xprofile", ".xsession", ".xinitrc", ".config/i3/config", ".vimrc", ".config/nvim/init.lua", ".emacs"),
    *(".emacs.d/init.el", ".config/Code/User/settings.json", ".tmux.conf", ".inputrc", ".psqlrc", ".gdbinit"),
    *(".forward", ".local/share/applications/x.desktop", ".config/mimeapps.list", ".docker/config.json"),
    *(".local/lib/python3.12/site-packages/usercustomize.py", ".local/lib/python3.12/site-packages/x.pth"),
    *(".pythonrc.py", ".config/direnv/direnvrc", ".aws/config", ".kube/config", ".gradle/init.gradle", ".netrc"),
    *(".openkoi/config.toml", ".openkoi/skills/x/SKILL.md", ".config/openkoi/config.toml", ".claude.json"),
    *(".local/share/openkoi/consents.json", ".gnupg/gpg.conf", ".config/plasma-workspace/env/x.sh"),
)
OURS = ("home/config.toml", "home/data/consents.json", "home/SOUL.md", "home/credentials/x", "home/skills/x/SKILL.md")

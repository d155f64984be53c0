"""List the shapes of secrets without their own prefix: in commands, URLs, headers and files."""

# Between the lines of a key: what tools write before each, and any few characters (quotes, commas) if a line follows.
NEXT_LINE = (
    r"(?:\r|\\+r)?(?:\n|\\+n)(?:[ \t]|\\+t)*(?:\d{1,7}[ \t]*[|:>]|[|>#*+-](?!----))?(?:[ \t]|\\+t)*"
    r"|[^\w+/=](?:(?!-----)[\s\S]){0,47}?(?=[\w+/]{40}|[\w+/]{4,76}={0,2}[^\w+/=](?:(?!-----)[\s\S]){0,47}?-----END)"
)
# Logins that stand in every example.
USUAL_LOGIN = (
    r"\w*:(?i:password|passwd|pass|pwd|secret|change_?me|example|postgres|mysql|root|admin|guest|user|test)@"
    r"|\w*:(?:\$[A-Z_][A-Z0-9_]*|\$?\{[\w.]+\}|%[sdvq@]|[A-Z]+(?:_[A-Z]+)+|(?i:my_?pass(?:word)?|[a-z]*passw(?:or)?d[a-z]*))@|[^\s/@]*:(?:[#%]\{|\$[a-z_]+@)"
)
IN_LINE = r"[^\n|;&]{0,160}?"
# Programs that take a password as an argument, up to where it stands.
PASSWORD_ARGUMENT = "|".join(
    (
        r"sshpass -p ?",
        rf"mysql\w* (?:{IN_LINE}[ \"'])?-p(?!assword)",
        rf"redis-cli {IN_LINE}-a ",
        rf"login\b{IN_LINE} -p[ =]?",
        rf"(?:zip|unzip|sqlcmd|bcp|osql)\b{IN_LINE} -P ?",
        rf"(?:7za?|7zz|unrar)\b{IN_LINE} -p",
        rf"ldap\w+\b{IN_LINE} -w ",
        rf"mongo\w*\b{IN_LINE} -p ",
        rf"htpasswd\b{IN_LINE} -\w*b\w* \S+ \S+ ",
        rf"ssh-keygen\b{IN_LINE} -[NP] ",
        rf"(?:smbclient|rpcclient)\b{IN_LINE} -U ?[\"']?[\w.\\/-]+%",
        rf"net use\b{IN_LINE} /user:\S+ ",
        r"vault login (?=\S*[\d.])",
    )
)
# Formats that do not begin with a mark of their own; group 1 is the secret.
SHAPES = {
    "private-key": (
        "-----begin",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?!\.{3}|[\s#*.|>+,\"'\\nr]{0,60}-----END)"
        rf"(?:(?!-----END)(?:{NEXT_LINE}|[\w+/=\s:,.()-]|\\+[nrt]))*"
        r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    "putty-key": ("private-lines", rf"Private-Lines: ?\d+(?:{NEXT_LINE})((?:[\w+/=]+(?:{NEXT_LINE})?)+)"),
    "url-login": ("://", rf"(?<=://)(?!{USUAL_LOGIN})" r"([^\s/:@\"'\\,?#<>{}$\[]*:[^\s/@\"'\\,]+)(?=@(?!sha256:))"),
    "url-token": ("://", r"(?<=://)((?=[^@]*\d)[A-Za-z0-9_-]{20,})(?=@)"),
    "bearer-token": ("bearer", r"(?i:bearer(?: |%20|\+|: ?|=)\"?)((?=[^\s\"',]*\d|[A-Za-z]{20})[\w.~+/-]{16,}=*)"),
    "basic-authorization": ("basic ", r"(?i:(?:authorization|auth)\\?[\"']?[:= ]+\\?[\"']?basic )([\w+/=-]{6,})"),
    "authorization-header": (
        "authorization",
        r"(?i:authorization\\?[\"']?\s?[:=]\s{0,3}\\?[\"']?(?:[\w-]{3,20} )?)"
        r"((?!https?:)(?=[^\s\"']*\d)[\w.~+/@=:-]{12,})",
    ),
    "cookie": (
        "cookie",
        r"(?i:\b(?:set-)?cookie\\?[\"']? ?[:=] ?\\?[\"']?)"
        r"((?:[\w.%-]{1,40}=[^;\s\"'\\]{0,80}; ?){0,3}?[\w.%-]{1,60}=(?=[^;\s\"']{0,80}\d)[^;\s\"'\\]{10,})",
    ),
    "webhook": (
        "/webhook hooks. /hooks/ webhook.office",
        r"(?i)https?://[\w.-]*(?:discord(?:app)?\.com/api/webhooks|hooks\.slack\.com/(?:services|workflows|triggers)"
        r"|webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch|chat\.googleapis\.com/v1/spaces)/((?=[\w/@?&=.%-]*\d)[\w/@?&=.%-]{16,})",
    ),
    "connection-key": (
        "accountkey= sharedaccesskey= endpoint=sb",
        r"(?i:(?:Account|SharedAccess)Key=)([\w+/]{20,}={0,2})",
    ),
    "connection-password": (
        "password= pwd=",
        r"(?i:;\s?(?:password|pwd)=)(?!(?i:password)[\"';\s])([^;\s\"'{}$<>]{4,})",
    ),
    "signed-url": (
        "sig= signature= x-amz- awsaccesskeyid",
        r"(?i:[?&](?:amp;)?(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=)([\w%+/=.-]{16,})",
    ),
    "query-secret": (
        "key= token= secret= auth= password= passwd= pwd=",
        r"(?i:[?&](?:amp;)?[\w.-]{0,30}(?:key|token|secret|auth|password|passwd|pwd)=)"
        r"(?!(?:%[\dA-Fa-f]{2}){2}|%7[Bb]|value\.\.|/(?:[\w.-]+/)+[\w-]+\.\w{2,4}\b|(?:[A-Za-z]+(?:(?:[._+-]|%20)[A-Za-z]+)*|[\d:.-]+)(?![^\s&\"'`<>#{}$\\]))"
        r"([^\s&\"'`<>#{}$\\=][^\s&\"'`<>#{}$\\]{7,})",
    ),
    "password-hash": (
        "$1 $2 $5 $6 $y $argon2 $scrypt $apr1",
        r"(\$(?:2[abxy]?|[156y]|argon2\w{1,2}|scrypt|apr1)\$[\w./,=$+-]{20,})",
    ),
    "netrc": ("login ", r"\blogin\s+\S+\s+password\s+(\S{4,})"),
    "command-login": (
        "curl wget http sshpass mysql redis-cli docker ",
        r"\b(?:curl|wget)\b[^|]{0,160}?\s(?:-u|--user)[ =]?\s{0,2}[\"']?"
        r"(?![A-Z]+(?:_[A-Z]+)*:[A-Z]+(?:_[A-Z]+)+[\s\"'])"
        r"(?:\$\{?\w+\}?:(?=[^\s\"'$]))?([^\s\"'$:<]*:(?!\$)[\"']?[^\s\"'<]{3,}|[^\s\"'$:<]{6,}:(?=[\"'])|(?<=:)[^\s\"'$<]{6,})",
    ),
    "command-password": (
        "sshpass mysql redis-cli login zip 7z unrar sqlcmd bcp ldap mongo htpasswd /user: ssh-keygen smbclient rpcc",
        rf"(?:^|(?<=[\s\"'`;&|(/])|(?<=\\[nrt]))(?:{PASSWORD_ARGUMENT})[\"']?(?=\S*[^\d\s])([^\s\"'$<-][^\s\"'$<]{{4,}})",
    ),
    "piped-password": (
        "--password-stdin --with-token chpasswd --passphrase-fd --stdin",
        r"\becho (?:-\w+ )?[\"']?(?:\w{1,32}:(?=[^\n|]{0,120}\|[^\n|]{0,20}chpasswd))?([^\s\"'|$]{6,})[\"']?"
        r"\s*\|[^|\n]{0,160}?"
        r"(?:--password-stdin|--with-token|\bchpasswd|--passphrase-fd|--stdin\b)",
    ),
    "openssl-password": ("pass:", r"-(?:pass(?:in|out)?|k)[ =][\"']?pass:([^\s\"'$]{4,})"),
    "secure-string": (
        "convertto-securestring",
        r"(?i:ConvertTo-SecureString(?:\s+-String)?\s+)[\"']([^\"'$]{6,})[\"']",
    ),
    "login-arguments": (
        "auth=( auth( basic(",
        r"(?i:\bauth=\(|\bbasic_?auth\w*\(|\bbasic\()\s*\\?[\"'][^\"'\\\n]{1,80}\\?[\"']\s*,\s*\\?[\"']"
        r"((?=[^\"']*(?:\d|[^\w\"']|[a-z][A-Z]))[^\"'\\\s]{6,})\\?[\"']",
    ),
    "sql-password": (
        "identified password",
        r"(?i:identified (?:with \w+ )?by|with (?:encrypted )?password|set password\s?=)\s+"
        r"'(?!\$[A-Z{(]|\{\{|<|[A-Z]+(?:_[A-Z]+)+')([^'\s]{4,})'",
    ),
    "docker-auth": ("auth", r"\"auth\\?\"\s?:\s?\\?\"([\w+/=]{12,})\\?\""),
    "pgpass": (":", r"(?m)(?<!\S)(?!(?:[\da-fA-F]{2}:){2}|\w+:x:)[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w*-]+:(\S{6,})$"),
    "facebook-token": ("| %", r"\b(\d{15,16}[|%][\w-]{27,40})"),
    "xml-setting": (
        "value=",
        r"(?i:(?:key|name)=\\?[\"'][\w.:-]*(?:password|passwd|secret|token|apikey|connectionstring(?=[^<>]*(?:password|pwd|key)=))"
        r"[\w.:-]*\\?[\"']\s+value=\\?[\"'])(?!\{\{|[#$]\{|<?%|[A-Za-z]+[\"'])([^\"'\\]{6,})",
    ),
}

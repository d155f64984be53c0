"""Decide by a name whether its value is a secret: variables, settings, headers, JSON keys, options. One rule for all.

Names are split into words (``DB_PASS``, ``clientSecret``, ``x-api-key``), and matched by their endings where words are
written together (``PGPASSWORD``, ``APIKEY``). The last word decides: ``TOKEN_FILE`` and ``MAX_TOKENS`` are about a
secret.
"""

from functools import lru_cache

from openkoi_hookspecs.lazy_pattern import lazy_pattern

WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")


def split_list(words: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(words.split())


# Words that mean a secret anywhere in a name, and words that mean one at its end.
STRONG = split_list(
    """
    PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE SECRET SECRETS TOKEN TOKENS CREDENTIAL CREDENTIALS CREDS CRED
    APIKEY APIKEYS WEBHOOK WEBHOOKS JWT PSK MNEMONIC AUTHORIZATION PWD PAT BEARER SESSIONID
    """
)
WEAK = split_list("KEY KEYS PASS PW AUTH CONNSTR COOKIE COOKIES SALT")
TOGETHER = lazy_pattern(
    r"(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|PWD)S?$"
    r"|(?:API|SECRET|ACCESS|PRIVATE|AUTH|ENCRYPTION|MASTER|SIGNING|ACCOUNT|SHARED|STORAGE|DEPLOY|SERVICE|LICENSE|APP"
    r"|CLIENT|ADMIN|SUBSCRIPTION)KEYS?$"
    r"|(?:DB|SMTP|SSH|USER|ROOT|ADMIN|MYSQL|PG|MAIL|FTP|LDAP|REDIS|RABBIT|HTTP|VPN|WIFI|SUDO|LOGIN|MY|ACCOUNT|APP"
    r"|STORE|KEY|TRUST|REQUIRE|MASTER|BIND)PASS$"
    r"|(?:BIND|ROOT|ADMIN|DB|USER)PW$"
)
ENDINGS = (  # of all that TOGETHER matches, which takes a millisecond to compile
    *("PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL", "PWD", "KEY", "PASS", "PW"),
    *("PASSWORDS", "PASSWDS", "PASSPHRASES", "SECRETS", "TOKENS", "CREDENTIALS", "PWDS", "KEYS"),
)
# Words after which a name is about a secret: where it is kept, how long it is, what is done with it.
ABOUT = split_list(
    """
    FILE FILES FILENAME PATH PATHS DIR DIRS DIRECTORY FOLDER URL URI URLS ENDPOINT HOST HOSTS HOSTNAME PORT PORTS
    TYPE TYPES KIND NAME NAMES COUNT COUNTS COUNTER LIMIT LIMITS MAX MIN TTL EXPIRY EXPIRES EXPIRATION EXPIRED
    TIMEOUT AGE LENGTH LEN SIZE SIZES FORMAT ALGORITHM ALG ALGO ISSUER AUDIENCE HEADER HEADERS FIELD FIELDS PREFIX
    SUFFIX ENABLED DISABLED REQUIRED POLICY PROVIDER PROVIDERS SERVER STORE STORES SOCK SOCKET PARALLELISM HELPER
    CMD COMMAND SCRIPT PROMPT ROTATION VERSION INDEX INDICES MAP MAPPING BINDING BINDINGS REPEAT USAGE METHOD
    METHODS MODE SCHEME LABEL PLACEHOLDER HINT MESSAGE ERROR ERRORS TEXT TITLE DESCRIPTION VALID INVALID VALIDATION
    VALIDATOR CHECK CHECKS SCOPE SCOPES TEST TESTS CLASS FACTORY FUNC FUNCTION HANDLER MANAGER SERVICE CLIENT
    BACKEND VIEW FORM INPUT BUTTON STATUS STATE USED PER RATE COST COSTS PRICE SPENT RATIO BUDGET USER USERNAME
    ROLE ROLES CERTIFICATE
    USERS EMAIL OWNER AT DATE TIME SECOND SECONDS MINUTE MINUTES HOUR DAY DAYS MS RING RINGS BOARD PAIR PAIRS VAULT
    MANAGEMENT COLUMN COLUMNS GROUP GROUPS SET OPTIONS SETTINGS PARAMS ARG ARGS FN ITER ITEMS LIST IDX POS POSITION
    START END STREAM PARSER REGEX PATTERN CHARS WITHIN AFTER BEFORE UNTIL LIFETIME DURATION INTERVAL STDIN
    """
)
# Words before which a name is not a secret: PUBLIC_KEY, MAX_TOKENS, ALLOW_EMPTY_PASSWORD.
BEFORE = split_list(
    """
    PUBLIC PUB PRIMARY FOREIGN SORT PARTITION CACHE SCHEMA INDEX HOT BUCKET NATURAL UNIQUE MAX MIN NUM TOTAL N NEXT
    PAGE PREV PREVIOUS CONTINUATION NO DISABLE ENABLE SKIP USE HAS IS ALLOW REQUIRE WITHOUT WITH EMPTY RANDOM INPUT
    OUTPUT PROMPT COMPLETION REASONING CACHED CONTEXT PAD EOS BOS UNK MASK SEP CLS STOP GROUP DICT LOOKUP SEARCH
    RECV SHOULD MUST CAN WILL DID WEBSOCKET SOCKET OBJECT ROUTING RECORD ROW
    """
)
# Words that say which secret it is, or how it is written.
TRAILING = split_list(
    """
    ID VALUE B64 BASE64 HEX PEM DATA OLD NEW PROD PRODUCTION DEV STAGING LIVE LOCAL CURRENT BACKUP SECONDARY DEFAULT
    RAW STRING CONFIG JSON V
    """
)
PHRASES = (
    *("_CONN_STR", "_CONN_STRING", "_CONNECTION_STR", "_CONNECTION_STRING"),
    *("_SEED_PHRASE", "_WEBHOOK_URL", "_WEBHOOK_URLS"),
)
GIT_HEADERS = tuple(f"GIT_CONFIG_{word}" for word in ("COUNT", "PARAMETERS", "KEY_", "VALUE_"))  # tokens of servers
FOLDERS = frozenset({"PWD", "OLDPWD"})


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether the value of this name is a secret."""
    if name in FOLDERS:
        return False
    words = words_of(name)
    joined = "_".join(words)
    if f"_{joined}".endswith(PHRASES) or name.startswith(GIT_HEADERS):
        return True
    if words[-2:] in (["SECRETS", "ID"], ["CREDENTIALS", "ID"]):  # where they are kept; SECRET_ID is one itself
        return False
    while len(words) > 1 and (words[-1] in TRAILING or words[-1].isdecimal()):
        words.pop()
    if not words or words[-1] in ABOUT or BEFORE & set(words[:-1]):
        return False
    if words == ["SALT"]:  # that of a password's hash is not a secret, AUTH_SALT is
        return False
    return words[-1] in WEAK or any(map(is_secret_word, words))


def words_of(name: str) -> list[str]:
    """Return the words of a name in upper case, however they are joined."""
    return [word.upper() for word in WORDS.findall(name)]


def is_secret_word(word: str) -> bool:
    """Return whether a word denotes a secret, or ends with a word that does."""
    return word in STRONG or (word.endswith(ENDINGS) and word not in WEAK and bool(TOGETHER.search(word)))

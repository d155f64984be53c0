"""The single words that `question.py` knows: closed lists, one for each part that a word can play.

A word that is missing makes a question work, which costs one judgement; a word too many makes work a question, and then
nothing judges what was done. So a list grows only by what cannot ask for a change.
"""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A text in quotes or backticks is spoken about, not said: it stands in the sentence as this word.
QUOTED = "quoted_text"

CONTRACTIONS = {
    "can't": "can not",
    "won't": "will not",
    "let's": "let us",
    "lets": "let us",
    "im": "i am",
    "ive": "i have",
    "id": "i would",
    "u": "you",
    "ther": "there",
    **dict.fromkeys(("coud", "cud", "cld"), "could"),
    **dict.fromkeys(("woud", "wud"), "would"),
    "shoud": "should",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
    "gonna": "going to",
    "wanna": "want to",
    **{f"{verb}nt": f"{verb} not" for verb in words("do does did is are was were should would could have has ca wo")},
    **{f"{word}s": f"{word} is" for word in words("what where who how that there")},
}

# --- What a sentence may begin with before it says anything
ADVERBS = words("then also please just now finally afterwards next maybe perhaps otherwise later still even so again")
# "I only want to know"
SOFTENING = words("only just simply really merely still quickly briefly")
# alone they say nothing
NEUTRAL = words("""
    roughly exactly correct please again now ok okay great nice cool perfect wow oh ah hm hmm well alright right so no
    and or but lol mate guys everyone folks
""")

# --- Small talk, agreement, and what forbids changes
# "do not change anything", but "do not log passwords"
HARMLESS_OBJECTS = words("""
    anything any it them this that these those the a my our your code file files yet now change changes thing
    thingsrepo project nothing please here for me today config tests test workspace folder line lines single
""")

# --- Verbs
# where "show the status" is more likely a feature than a request
OUTPUT = words("show display print report view highlight")
# where the answer may be meant to stand on a page
SHOWING = words("show display print list report count view highlight")
# "for" names what is sought, not a purpose
SEEKING = words("search look grep find identify locate scan check list count")
# what may follow them
AGAIN = words("again once more please for me and")
# where a bare word could be an imperative: "and comment"
CHANGING = words("""
    fix add change edit write create make implement remove delete rename refactor update replace move install build
    generate convert migrate commit deploy send post set turn apply mend repair format merge improve optimise optimize
    extract revert undo simplify clean speed save append insert correct adjust split upgrade document translate put
    patch harden tighten rewrite reword rework modify alter filter order trigger render register transfer lower raise
    comment increment decrement partition package position answer do get let use stop start restart run try keep drop
    strip hide wrap store export import enable disable introduce reduce increase ship release publish push pull rebase
    squash bump pin tag close open file draft compose sort group squeeze cut trim shorten extend expand embed feed
    proceed shred need supply comply multiply alias focus canvas bias log mark flag link mock stub inline support
    handle allow cache encrypt validate sanitise sanitize ensure guarantee configure prevent align polish plug tidy
    reorganise reorganize restructure modernise modernize switch swap port bring take give leave throw return record
    monitor cover lock unlock reset initialise initialize finish complete resolve address solve tackle sign retry go
    choose pick settle stick opt mirror follow act deliver enter offer recover consider restore discover counter
""")
GERUND_OF_CHANGE = words("""
    fixing adding changing editing writing creating making implementing removing deleting renaming refactoring
    updating replacing moving improving splitting turning applying rewriting simplifying having using caching
    switching dropping merging reverting cleaning extracting migrating converting putting squashing upgrading getting
    showing introducing sorting mending repairing correcting bumping wrapping speeding doing
""")
# "how do I clone and run it"
USAGE = words("""
    run use start install test build deploy debug open call connect access get see read check verify find stop restart
""")
# programs do this as well: "examine the input"
CHOOSY = words("estimate assess examine review inspect audit")
# "see whether", but "see notes.md"; "clarify what", but "clarify the README"
EMBEDDED_ONLY = words("clarify figure work see determine")
# of these, what describes as well: "functions using it"
NO_CHANGE = words("using having getting showing doing caching sorting")
# "iron out" is a verb
PARTICLES = words("out off up down away back")

# --- Answers to the user
ANSWERS = words("""
    overview summary list hint hints example examples explanation reason reasons idea ideas rundown breakdown status
    gist feedback opinion pointers recap description comparison estimate sense answer tour ways explanations tl;dr
    tldr clue advice recommendation recommendations suggestion suggestions introduction intro outline analysis
    assessment background information info details insight
""")
# "tell me a story" makes something
NOT_ANSWERS = words("story joke poem haiku song limerick rhyme tale version patch script")
# "show me the fixed version"
CHANGED = words("""
    fixed refactored improved rewritten simplified updated cleaned corrected finished new better working passing
""")
# "tell me whether"
EMBEDDING = words("what why how where when which who whose whom whether if")
# "suggest three names"
COUNTED = words("a an some two three four five ten")

# --- Where an answer would be written down: issue 14, "Summarise README.md as notes.md"
WRITTEN_PLACES = words("""
    readme changelog docs documentation docstring docstrings help header footer page pages screen dashboard sidebar
    menu button title form dialog tooltip banner comment wiki guide manual notes ui website site bar popup modal
    navbar console frontend email heading checkout cart toolbar terminal prompt statusbar --help doc text authors
    codeowners github gitlab slack jira mail top bottom description source install
""")
# "for the changelog"
PUBLISHED = words("changelog readme docs wiki website newsletter blog")
# "explain to the user why"
AUDIENCE = words("user users customer customers visitor visitors contributors readers newcomers")
# "describe the schema as yaml"
FORMATS = words("yaml json html xml markdown csv openapi rst latex pdf toml issues tickets comments jsdoc")
# "in a table", "in a few words" only shape the answer
ANSWER_FORMS = words("""
    detail depth short brief general words sentence sentences paragraph paragraphs bullets bullet points terms english
    german french spanish table list order simple plain chat summary particular
""")
# "the steps to fix it", where "read it to fix it" is work
MEANS = words("""
    how what where way ways step steps command commands needed required used option options things best when whether
    possible
""")
# "explain it with a patch"
WITH_CHANGE = words("patch fixes refactoring docstring docstrings hints annotations")
# say when or how a program does it: "confirm before deleting"
TAIL_BANS = words("""
    before after when while until once instead via per first at above below beneath inside onto by unless whenever
    afterwards every case-insensitively ascending descending newest automatically ignoring too also using else
    otherwise into inline next
""")

# --- Objects
# things of a workspace: to list, check or count them is to hear of them
ARTEFACTS = words("""
    test tests suite build builds code codebase function functions method methods class classes module modules file
    files folder folders directory directories repo repository project package packages dependency dependencies import
    imports script scripts log logs warning warnings output diff diffs commit commits branch branches history status
    version versions line lines comment comments todo todos docs documentation readme changelog licence license
    licences licenses config configuration setting settings endpoint endpoints route routes command commands variable
    variables usage usages caller callers reference references occurrence occurrences definition definitions
    implementation implementations regex schema type types signature signatures docstring docstrings request requests
    pr prs issue issues ticket tickets bug bugs problem problems difference differences step steps ways reason reasons
    cause causes pros cons example examples structure architecture tree contents linter lint pipeline ci workflow
    workflows traceback failure failures coverage api apis question questions words vulnerabilities source sources
    makefile dockerfile plugin plugins constructor libraries library target targets job jobs container containers
    image images process processes port ports tag tags release releases stash worktree remote remotes contributors
    authors author maintainers keys flags options hook hooks migration migrations table tables columns column rows
    query queries fixture fixtures assertion assertions global globals decorator decorators subclasses interface
    interfaces headings sections section chapter chapters algorithm algorithms approach approaches alternatives
    performance complexity security spelling grammar syntax leak leaks content stack setup tools tool quality style
    places place uses parameters
""")
# of these, what pages show as well: "show the version"
VISIBLE = words("""
    version versions status comment comments author authors tag tags question questions row rows column columns table
    tables image images option options setting settings warning warnings line lines file files folder folders section
    sections issue issues ticket tickets history words problem problems release releases example examples step steps
    job jobs process processes output reason reasons failures types keys
""")
# things of a running program: "check if the user is logged in"
RUNTIME = words("""
    user users input value password email login customer customers visitor caller item items cart price session field
    fields record argument number string payload signature amount date order orders checksum
""")
TOPICS = words("""
    python rust go golang java javascript typescript sql bash git postgres linux django c c++ ruby php kotlin swift
    docker kubernetes react src lib
""")
DETERMINERS = words("""
    the a an its my your our their this that these those all any each every some no both other another whole it them
    everything his her most many several few one two three four five
""")
PREPOSITIONS = words("""
    in of from for with to on at between within across under about without than like versus vs per by into as inside
    outside
""")
NOUN_ENDINGS = ("er", "or", "tion", "ment", "ness", "ity", "ance", "ence", "ism", "ship")
# "nothing else" is no alternative
PRONOUNS_OF_ALL = words("nothing anything something everything what who anyone anybody where someone nobody")
VERB_ENDINGS = ("ate", "ise", "ize", "ify", "yse")
PRONOUNS = words("i you we they he she it there")

# --- Questions
WH = words("what why how where when which who whose whom")
AUXILIARY = words("is are was were am do does did has have had can could will would should shall may might must")
# these ask without a question mark as well
LOOSE_AUXILIARY = words("is are was were does did has do have")
# "the parser is recursive, right?"
STATING = words("""
    is are was were has does did pass passes works uses runs never gets get becomes become belongs belong goes comes
    stays
""")
# "it should be blue, right?" asks for a change
REQUESTING = words("should must need needs want wants ought supposed please let require requires broken wrong")
# "can it be faster?" asks for it
COMPARATIVES = words("""
    faster smaller bigger shorter simpler better cleaner more less larger safer stricter nicer also too
""")
# "can the README mention it?"
WISHES = words("""
    mention include show display say look get become have take accept support contain print list log well be-able
    every go
""")
# "can it be null?", but not "can it be sorted?"
BE_PASSIVE = words("""
    null none nil empty negative zero called used reached reproduced trusted nested a an the why because due caused
""")
# "could it cause a race?"
COULD = words("be cause break fail affect happen lead explain mean have")
# "would you recommend"
OPINIONS = words("recommend suggest prefer expect choose agree say use pick rather call think find see")
# "do you know"
YOU_DO = words("""
    know think have see understand remember support recommend agree like prefer believe use mean recall expect find
    happen speak usually store keep log collect handle work read take save train
""")
# "are you sure"
YOU_ARE = words("sure aware familiar a an the still there online certain using")
# "do the tests first" is work
NOT_VERBS = words("first next today too")

# --- Other languages: few forms are known, and everything else is work
# where an English question word is none: "Was ist hier kaputt, bitte reparieren"
FOREIGN = words("""
    und der das ist nicht bitte ein eine den dem les est pour avec favor el que het een och für ich wir macht hier mir
    dann sur dans une des los una è não
""")
# not, and, can you: may be one after all
FOREIGN_DOUBT = words("""
    und y et e o não no nicht nicht, pas non wenn si puedes kannst podrías können könnten peux pouvez pode podes wäre
    würde ne bitte favor lo la-cambias einfach s'il mal doch
""")

"""The phrases that `question.py` knows: closed lists of how a part of a sentence may begin."""


def phrases(text: str) -> tuple[str, ...]:
    """Read phrases between bars, the longest first, so that a longer one wins over its own beginning."""
    found = (" ".join(phrase.split()) for phrase in text.split("|"))
    return tuple(sorted(found, key=len, reverse=True))


# --- What a sentence may begin with before it says anything
FILLERS = phrases("""
    please|kindly|just|only|simply|first|first of all|quickly|briefly|now|also|then|so|well|hey|hi|hello|ok|okay|oh|ah|
    hm|hmm|actually|btw|by the way|and|maybe|perhaps|alright|great|cool|nice|out of curiosity|for my information|fyi|
    in short|in general|real quick|next|finally|afterwards|again|question|quick question|one question|
    one more question|another question|curious|sorry|sorry to bother you|excuse me|dumb question|stupid question|
    a question|no|one more thing|to be clear|for now|before we start|before i start|before you start|nothing urgent|
    before changing anything|before touching anything|before doing anything|not urgent|lol|still learning|honestly|
    seriously|if so|if not|otherwise|in that case|either way
""")
# said of the user before the question: "I am new here"
CONTEXT = phrases("""
    i am new|i am reading|i am learning|i am a|i am an|i just cloned|i just joined|i just opened|i just inherited|
    i just started|we are new|i am trying to understand|i am trying to learn|i am confused|i cloned|i joined|
    i inherited|i am looking at|i have never used|i have been reading|i read|i am curious|it is my first|
    it says quoted_text|i get quoted_text|i see quoted_text|the error is quoted_text|the error says quoted_text
""")

# --- Small talk, agreement, and what forbids changes
# issue 14: "thanks" is a question
SMALL_TALK = phrases("""
    thanks|thank you|many thanks|thanks a lot|thanks so much|thank you so much|thank you very much|thanks again|cheers|
    thanks very much|much appreciated|appreciate it|ty|bye|goodbye|bye bye|good bye|good night|good morning|
    good evening|good afternoon|hello|hello there|hi|hi there|hey|hey there|see you|see you tomorrow|see you later|
    see you soon|cu|talk to you later|talk to you tomorrow|later|ciao|that is all|that is all for now|
    that is all for today|that is it|that is it for today|never mind|nevermind|no worries|no problem|you are welcome|
    well done|good job|nice work|great work|great job|have a nice day|have a good day|have a nice weekend|
    have a good weekend|have a great day|how are you|how are you doing|how is it going|are you there|you there|
    that helps|that helped|that helped a lot|that works|that worked|it works now|it works|that was quick|that was fast|
    that was helpful|that was very helpful|that is great|that is perfect|that is helpful|that is very helpful|
    that is good to know|good to know|that makes sense|that explains it|that is what i needed|that is all i needed|
    that is exactly what i needed|that answers my question|that was all|haha|lol|nice to meet you|happy new year|
    merry christmas|you are the best|you rock|awesome|interesting|for your help|for the help|for the explanation|
    for explaining|for everything|for your time|for the info|until tomorrow|for the clarification|for clarifying|
    for the quick answer|for the answer|everyone|all|team|there|friend|koi|openkoi|that is all i wanted to know|
    thanks for asking|good luck|take care|have fun|enjoy your weekend|enjoy your evening|forget it|forget about it|
    that answered my question|that is what i wanted to know|that was what i wanted to know|
    that is all i needed to know|have a nice evening|have a nice night|have a good evening|have a good night|
    have a great evening|have a great weekend|have a great night
""")
# issue 14: a "yes" to a proposed change is work
AGREEMENT = phrases("""
    yes|yeah|yep|yup|sure|go ahead|do it|do that|do so|please do|absolutely|agreed|sounds good|looks good|lgtm|
    of course|definitely|approved|fine by me|be my guest|proceed|continue|carry on|make it so|ship it|go for it
""")
# beside "do not" with one of CHANGING and only HARMLESS_OBJECTS after it
FORBIDDING = phrases("""
    no changes|no edits|no code changes|no code|read only|read-only|nothing is to be changed|nothing should be changed|
    nothing needs to be changed|nothing has to be changed|leave everything as it is|leave everything as is|
    leave the code as it is|leave the code alone|leave it as it is|leave it alone|leave the files alone|leave it as is|
    leave everything untouched|leave the code untouched|leave the files untouched|this is only a question|
    this is just a question|it is just a question|just a question|only a question|just asking|only asking|just curious|
    just wondering|i am just asking|i am only asking|i am just curious|i am only curious|not asking for changes|
    i am not asking for changes|i do not want any changes|i do not want changes|hands off|just checking|not for code|
    i will do it myself|i will fix it myself|i will change it myself|be brief|keep it short|keep it brief|
    short answer please|in one sentence|answer briefly|answer in one sentence|one sentence is enough|
    a short answer is enough
""")
# "do not" and what else forbids
NOT_DOING = phrases("""
    do not|without|please do not|you do not need to|no need to|you do not have to|i am not asking you to|
    i do not want you to|i did not ask you to|you should not
""")

# --- Verbs
# what comes after decides
POLITE = phrases("""
    can you|could you|would you|will you|can you please|could you please|would you please|will you please|
    i want you to|i would like you to|i need you to|would you be so kind as to|be so kind as to|
    i would appreciate it if you could|do you think you could|would you be able to|are you able to|can someone|
    could someone|can anyone|could anyone|can anybody|could anybody|can somebody|could somebody|can we|could we|let us|
    may i ask you to|can i ask you to
""")
# any object: programs seldom explain or review, so a task seldom specifies them with these
FREE_READING = phrases("""
    estimate|assess|explain|describe|summarise|summarize|recap|discuss|analyse|analyze|review|inspect|examine|
    investigate|diagnose|study|audit|critique|sum up|skim|give feedback on|give feedback|give your feedback|
    familiarise yourself with|familiarize yourself with|talk about|think through|dig into
""")
# programs do this, too ("show a spinner", "read the limit from the environment"): the object must be of the workspace
PROGRAM_READING = phrases("""
    show|display|print|list|count|compare|read|check|double-check|double check|verify|confirm|find|search|search for|
    search through|grep|grep for|look at|look in|look into|look through|look over|take a look at|take a quick look at|
    have a look at|have a quick look at|go through|go over|go and look at|read through|evaluate|identify|locate|view|
    scan|report|name|cat|look for|determine|figure out|find out|work out|see|suggest|recommend|rate|look|check on|
    look up|clarify
""")
# issue 14: "check whether the tests pass"; not "run the migration"
RUNNABLE = phrases("""
    the tests|all tests|all the tests|tests|the test suite|the whole test suite|the full test suite|the unit tests|
    the linter|the integration tests|pytest|the type checker|mypy|the build|a build|the linters|ruff check|make test|
    make check|npm test|cargo test|go test|the checks|the benchmark|the benchmarks|the suite|my tests|our tests|
    git status|git log|git diff|make|lint
""")

# --- Answers to the user
# what follows is an answer, not a feature
TELLING = phrases("""
    tell me|tell us|show me|show us|let me know|let us know|walk me through|walk us through|talk me through|
    guide me through|help me understand|help us understand|help me to understand|remind me|teach me|point me to|
    explain to me|explain to us|give me|give us|list me|i want to know|i would like to know|i need to know|i wonder|
    i was wondering|i am wondering|i want to understand|i would like to understand|i need to understand|
    i am trying to understand|i do not understand|i am curious|i am curious about|i am not sure|i am unsure|
    i have a question about|i have a question on|wondering|just wondering|i am confused about|i am confused by|
    i am interested in|i would love to know|i want to learn|we would like to know|we want to know|we need to know|
    can i ask|may i ask|i have a question|report back|report the results|report the failures|report the warnings|
    report the errors|report the outcome|report any failures|report any errors|report any warnings|report the result|
    report back to me|i can not figure out|i could not figure out|i can not find out|i can not tell|i can not see|
    i could not find|i can not find|i forgot|i forget|not sure|question is|my question is|i would love to understand|
    i do not know|i do not get|i am asking|i would be interested to know|i would be curious to know|
    it would be nice to know|it would be good to know|i am interested to know
""")
# with one of ANSWERS only
WANTING = phrases("""
    i would like|i want|i need|i would like to see|i want to see|i need to see|i would love|i would appreciate|we need|
    we would like
""")

# --- Questions
# requests in the shape of a question
REQUESTS = phrases("""
    why not|why do not you|why do not we|why do you not|why do we not|why are not we|why can not we|why can not you|
    how about|what about|what do you say|what would you say to|how hard can|what is stopping|what is keeping|
    what are you waiting|do you mind|would you mind|do you want to|do you feel like|do you think you|do you think we|
    is it time to|is it too much|would it be possible|would it be nice|would it be great|would it be good|
    would it be cool|would it be ok|would it be okay|would it be too much|would it kill|is there a chance|
    is there any chance|any chance|any way|have you considered|have you thought|have you tried|did you consider|
    did you think|are you able|are you going|is it possible for you|is there a way you|is there any way you|
    how soon can|how quickly can|how fast can|when can you|when will you|when are you|when can we|when will we|
    when do we get|when do i get|can i get|can i have|could i get|could i have|can we get|can we have|could we get|
    could we have|may i have|may we have|shall we|will we|can we|could we|what does it take|what would it take|
    what do i have to do|what do i have to say|what else do you need|who can|who could|who will|who is going to|
    where can you|where could you|are we going|how much longer|will somebody|will someone|can somebody|can someone|
    can anyone|can anybody|could somebody|could someone|could anyone|could anybody|would somebody|would someone|
    is anybody going|is anyone going|is someone going|does it hurt|would it hurt|do i have to beg|do i have to ask|
    is it asking too much|what are the chances|when does the fix|should we just|should we maybe|should we not|
    should we finally|should we also|should we at least|should we perhaps|should you|do we want|do you have time|
    do you have a minute to|have you got time|are you up for|are you ready to|could it|does anybody mind|
    does anyone mind|any objections|any objection|any volunteers|did you forget|have you forgotten|who needs
""")
QUANTITIES = phrases("""
    how many|how much|how long|how often|how far|how old|how big|how large|how fast|how slow|how hard|how well|
    what kind|what sort|what time
""")
FRAGMENTS = phrases("""
    tldr|tldr of|difference between|the difference between|diff between|differences between|git status|git log|
    git diff|asking for a conceptual overview|asking for an overview|asking for an explanation|asking for advice|
    asking for your opinion
""")
TAGS = phrases("right|correct|true|is not it|did you|does it|is it|does not it|are not they|do not they|was not it")

# --- Other languages: few forms are known, and everything else is work
# how many, which, where, who: hard to turn into a request
FOREIGN_ASKING = phrases("""
    wie viele|wieviele|welche|welcher|welches|in welcher datei|in welchem|wo|wer|was ist|was bedeutet|was macht|
    combien|où|quel|quelle|quels|quelles|qui|cuántos|cuántas|cuál|cuáles|dónde|quién|qué es|qué significa|qué hace|
    qual|quais|warum|pourquoi|por qué|perché|que fait|come funziona|wie funktioniert|comment fonctionne|cómo funciona|
    como funciona|wozu|waarom|varför|quantos|quantas|onde|quem|o que é|o que significa|quanti|quante|quale|dove|chi|
    cosa significa|hoeveel|waar|welk|hur många|vilken|hvor mange|à quoi sert|à quoi
""")

"""Define the speech acts: what a speaker does with a clause."""

from enum import Enum, auto


class SpeechAct(Enum):
    """What a speaker does with a clause."""

    WORK = auto()  # "rename it", "it should be blue", "can you add one", "yes"
    ASK = auto()  # "what does it do", "tell me whether it is fast"
    READ = auto()  # "list the tests", "look at the parser"
    RUN = auto()  # "build it": only reads where an answer is asked for after it
    TALK = auto()  # "thanks"
    FORBID = auto()  # "do not change anything"
    CONDITION = auto()  # "when the tests fail", "in parser.py"
    OWN = auto()  # "I am new here": states something of the speaker
    STATE = auto()  # "the header is blue": background of a question after it, a complaint otherwise
    NOTHING = auto()  # "ok"
    UNKNOWN = auto()

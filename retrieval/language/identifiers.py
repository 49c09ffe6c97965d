"""Identifiers: names that are written without a blank, and that are more than the words in them.

`c5d.xlarge`, `NAV_WAYPOINT`, `http.request.method`, `SetOption65`, `0x1F`, `R-1`, `192.168.0.0/16`, `--max-count`. They
are tokenized into their parts, and also kept whole, to distinguish `c5d.xlarge` from `c5d.2xlarge`. The key of an
identifier does not depend on the separators of its parts, so `c5d xlarge` and `http request method` find it. Two words
of letters with a blank between them do not: `the job name` need not mean `job_name`. A sign before a number or a word
makes an identifier, too (`$2`, `%1`, `\\dt`, `#set`), which only the same sign finds: `2` and `set` may be anything.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache

from retrieval.language.numbers.quantity import measure

LONGEST = 120
"""Most characters of an identifier; a longer run is a path or data."""

_RUN = re.compile(r"(?<![\w-])(?:--(?=[^\W\d_]))?\w+(?:(?:::|[./:\\-])\w+)*(?!\w)")
_SIGNS = r"[$%#@&\\]"
_SIGNED = re.compile(rf"(?<![\w$%#@&\\]){_SIGNS}(?:[0-9]+|[^\W\d_]\w*)(?![.,]?\w)")
"""`$2` and `#set`; not `$2.50`, `$1,000`, `R&D` and `@2x`."""
_PART = re.compile(r"[^\W_]+")
_ADDRESS = r"[0-9]+(?:\.[0-9]+){2,}(?:/[0-9]+)?"
_WORD = re.compile(rf"(?<![\w.]){_ADDRESS}(?!\.?\w)|[^\W_]+")
_NAMES = re.compile(r"\w_\w|::")
_CAMEL = re.compile(r"[a-z]{2}[A-Z][a-z]")
_ENDS_IN_RATIO = re.compile(r"^[^/]*-[0-9]+/[0-9]+$")
"""The end of a type designation: `ER-7/15`."""
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_DICE = re.compile(r"[0-9]*[dD](?:[0-9]+|%)")
_COUNTED = re.compile(r"[0-9]+([^\W\d_]+)")
_CHAIN_OF_NUMBERS = re.compile(_ADDRESS)
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"[0-9]")
_ENDINGS = frozenset({"st", "nd", "rd", "th", "s", "x"})
_CHAIN = 3
"""Fewest numbers between points that are an address or a version, not a decimal."""

_PATH = 3
"""Fewest steps of a path; `192.168.0.0/16` and `GPIO2/ADC1` have fewer."""

MARK = "~"
"""The first character of every identifier's key, and of no other token."""
MOST_WORDS = 8
"""Most words of a question that may be the parts of one identifier."""

Known = Callable[[Sequence[str]], Sequence[bool]]
"""Returns whether each key belongs to a known identifier."""
Whole = tuple[int, int, str]
"""Start and stop of the words that form an identifier, and its key."""


def key_of(identifier: str) -> str:
    """Return the key of an identifier in the index: its letters and digits in folded case, without separators.

    An identifier without letters keeps its points: `1.1.0` is not `11 0`. A sign before it is kept.
    """
    if not _LETTER.search(identifier):
        return MARK + identifier
    return MARK + sign_of(identifier) + "".join(_PART.findall(identifier)).casefold()


def sign_of(identifier: str) -> str:
    """Return the sign that an identifier begins with, such as the `#` of `#set`; empty if there is none."""
    return identifier[0] if _SIGNED.match(identifier) else ""


@lru_cache(maxsize=1 << 12)
def identifiers(text: str) -> tuple[str, ...]:
    """Return the identifiers of a text as written, each followed by its parts that are names: `c5d`, `2xlarge`."""
    names: list[str] = []
    for match in _RUN.finditer(text):
        is_url = text[max(0, match.start() - 1) : match.start()] == "/"
        wholes = tuple(_wholes(match[0], is_url=is_url))
        parts = dict.fromkeys(part for whole in wholes for part in _PART.findall(whole) if _is_mixed(part))
        names += [*wholes, *(part for part in parts if part not in wholes)]
    return (*names, *_SIGNED.findall(text))


def _wholes(run: str, *, is_url: bool) -> Iterator[str]:
    """Yield a run without blanks if it is an identifier, and the steps with a digit of `R-1/R-2` and of a path, but not
    of a URL."""
    is_identifier = len(run) <= LONGEST and _is_identifier(run)
    if is_identifier:
        yield run
    steps = run.split("/")
    if not is_url and len(steps) > (_PATH - 1 if is_identifier else 1):
        yield from (step for step in steps if _DIGIT.search(step) and len(step) <= LONGEST and _is_identifier(step))


def identifier_keys(text: str) -> list[str]:
    """Return the keys of the identifiers of a text."""
    return [key_of(identifier) for identifier in identifiers(text)]


def known_identifiers(words: Sequence[str], written: Collection[str], known: Known) -> list[Whole]:
    """Return the runs of words that are the parts of known identifiers, without overlap, preferring longer ones.

    Args:
        words: of a question; only words of letters and digits can be parts.
        written: keys of the identifiers that the question has without a blank. Two words of letters must be one of
            these: `the job name` need not mean `job_name`.
        known: returns which keys are known.
    """
    spans = [span for span in _spans(words) if span[1] - span[0] != 2 or _DIGIT.search(span[2]) or span[2] in written]
    spans += _signed_words(words, written)
    is_known = known([key for _, _, key in spans])
    known_spans = [span for span, there in zip(spans, is_known, strict=True) if there]
    taken: list[Whole] = []
    for start, stop, key in sorted(known_spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(stop <= other[0] or other[1] <= start for other in taken):
            taken.append((start, stop, key))
    return sorted(taken)


def _spans(words: Sequence[str]) -> Iterator[Whole]:
    for start, first in enumerate(words):
        if not _PART.fullmatch(first):
            if is_address(first):
                yield start, start + 1, key_of(first)
                if "/" not in first and start + 1 < len(words) and words[start + 1].isdecimal():
                    yield start, start + 2, key_of(f"{first}/{words[start + 1]}")
            continue
        joined = ""
        for stop, word in enumerate(words[start : start + MOST_WORDS], start + 1):
            if not _PART.fullmatch(word):
                break
            joined += word
            if _LETTER.search(joined):
                yield start, stop, MARK + joined


def _signed_words(words: Sequence[str], written: Collection[str]) -> Iterator[Whole]:
    signed = {key[2:]: key for key in written if _SIGNED.fullmatch(key, 1)}
    for start, word in enumerate(words if signed else ()):
        if word in signed:
            yield start, start + 1, signed[word]


def is_address(identifier: str) -> bool:
    """Whether an identifier consists of numbers between points, like an IP address, optionally with a slash part."""
    return _CHAIN_OF_NUMBERS.fullmatch(identifier) is not None


def words_of_question(text: str) -> list[str]:
    """Return the runs of letters and digits of a text, in folded case; numbers between points are one run."""
    return [part.casefold() for part in _WORD.findall(text)]


def _is_identifier(run: str) -> bool:
    parts = _PART.findall(run)
    if not parts or _DICE.fullmatch(run):
        return False  # `____-____` is a blank to fill in
    if (run.startswith("--") and "-" in run[2:]) or _NAMES.search(run) or _CAMEL.search(run) or _HEX.fullmatch(run):
        return True
    if "." in run:
        numbers = sum(part.isdigit() for part in parts)
        return numbers >= _CHAIN or (numbers < len(parts) and _is_dotted(parts))
    if "-" in run or "/" in run or ":" in run:
        numbered = _DIGIT.search(run) and run[0].isupper() and ("/" not in run or _ENDS_IN_RATIO.search(run))
        return _is_mixed(parts[0]) or bool(numbered)
    return _is_mixed(run)


def _is_dotted(parts: list[str]) -> bool:
    """Whether parts between points are a name, not an abbreviation (`e.g`) or an amount (`2.5kg`, `3.3v`)."""
    is_abbreviation = all(len(part) == 1 for part in parts)
    is_amount = len(parts) == 2 and parts[0].isdigit() and parts[1][0].isdigit()
    is_amount = is_amount and not (_is_mixed(parts[1]) and _is_mixed(parts[1].upper()))
    return not is_abbreviation and not is_amount


def _is_mixed(part: str) -> bool:
    """Whether letters and digits form one name: `c5d`, `M12`, `2xlarge`, but not `7th`, `10mm` and `2d6`."""
    if not (_LETTER.search(part) and _DIGIT.search(part)) or _DICE.fullmatch(part):
        return False
    counted = _COUNTED.fullmatch(part)
    return not (counted and (counted[1].casefold() in _ENDINGS or measure(counted[1]) is not None))

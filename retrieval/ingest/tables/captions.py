"""Titles of tables: captions, introducing sentences, and outer titles that distinguish equal captions."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.boxes import Box, box_of
from retrieval.ingest.markdown.parser import plain_text, without_tags
from retrieval.ingest.tables.labels import ANCHOR, NUMBERED, TABLE, is_titled, label_of
from retrieval.language.english import word_set

MAX_TITLE = 200
"""Most characters of a title."""

MAX_TITLE_WORDS = 10
"""Most words of a line that counts as a title because it is directly above its table."""

_TITLE = re.compile(r"(?=.*[^\W\d_])[^\W_][^|]*(?<![.:;,!?。：；，、！？؛،؟])")


def title_among_twins(blocks: Sequence[Block], index: int) -> str:
    """Return the line above the table in block `index`; empty if it does not distinguish the table from a twin.

    Twins are under the same headings and have the same header line, and at least two of them have different lines above
    that begin with a letter or a digit and do not end a sentence.
    """
    title = _line_above(blocks, index)
    if not title:
        return ""
    twins = (position for position, block in enumerate(blocks) if position != index and _is_twin(block, blocks[index]))
    others = [line for twin in twins if (line := _line_above(blocks, twin))]
    return title if others and title not in others else ""


def touching_title(blocks: Sequence[Block], index: int) -> str:
    """Return the short line directly above the table in block `index`, without a blank line between; else empty."""
    touches = index > 0 and blocks[index - 1].lines[1] == blocks[index].lines[0]
    title = _line_above(blocks, index) if touches else ""
    return title if len(title.split()) <= MAX_TITLE_WORDS else ""


def _is_twin(block: Block, table: Block) -> bool:
    alike = (block.kind, block.heading_path) == (table.kind, table.heading_path)
    return alike and block.source.partition("\n")[0] == table.source.partition("\n")[0]


def _line_above(blocks: Sequence[Block], index: int) -> str:
    above = blocks[index - 1] if index else None
    if (
        above is None
        or not above.is_paragraph
        or "\n" in above.shown
        or above.heading_path != blocks[index].heading_path
    ):
        return ""
    words = plain_text(above.shown)
    return words if len(words) <= MAX_TITLE and _TITLE.fullmatch(words) else ""


MAX_SUBTITLE = 200
"""Most characters of a line between a caption and its table."""
MAX_TITLE_SENTENCE = 8
"""Most words of a bold line that ends like a sentence; a longer one is an instruction, not a title."""
MAX_LEAD = 200
"""Most characters of a sentence that introduces a table; a longer one is narrative."""
_MIN_LEAD_WORDS = 4
"""Fewest words of a lead; a shorter sentence (`They are:`) depends on the one before it."""

_COLONS = ":："
"""The colon, and the one of Chinese and Japanese."""
_BOLD_LINE = re.compile(rf"\s*[*_]?(\*\*|__)(?P<words>.+?)\1[*_]?\s*[{_COLONS}]?\s*")
_BETWEEN_RUNS = re.compile(r"(?<=[^\s*_])(\*\*|__)(?P<space> +)\1(?=[^\s*_])")
"""The space between separately bold parts of a line: `**Omens** **of the sea**`."""
_TABLE_CAPTION = re.compile(rf"\s*[*_]{{0,3}}{TABLE}\b[^|]{{0,160}}")
_HTML_TITLE = re.compile(
    r"<(summary|figcaption|b|strong|center|h[1-6])\b[^>]*>(?P<words>.*?)</\1>", re.IGNORECASE | re.DOTALL
)
_ITEM = re.compile(r"[ \t]*[-*+][ \t]+")
_LINK = re.compile(r"!?\[[^\]]*\]\([^()\s]*\)\s*")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)\]]*\s+(?=[A-Z“\"'‘(\[])|(?<=[。！？])\s*(?=[^\s」』”）])")
_NAMES_A_TABLE = re.compile(
    r"\b(?:the|these|this|that|each|next|accompanying) (?:[\w-]+ ){0,2}tables?\b"
    r"|\btables? (?:below|above|lists?|shows?|gives?)\b"
    r"|\bthe (?:[\w-]+ )?following\b(?! (?:turn|round|day|year|section|chapter))"
    r"|\b(?:is|are) below\b|\bas (?:follows|shown|listed)\b|\bsummari[sz]e[sd]?\b|\bbelow\W*$"
    r"|\b(?:shown?|listed|given|described|defined|found) (?:\w+ ){0,2}(?:below|here)\b",
    re.IGNORECASE,
)
_RUN_IN = re.compile(r"\s*(\*\*|__)(?P<label>[^*_\n]{2,80}?)[.:]?\1[.:]?\s")


@dataclass(frozen=True, slots=True)
class Caption:
    """The name of a table in the words around it."""

    words: str
    block: int | None = None
    """Index of the block whose last line is the caption; None for words that stay prose."""
    introduces: bool = False
    """Whether it is a sentence rather than a title."""
    about: str = ""
    """Other words about the table."""


def caption_at(
    blocks: Sequence[Block],
    index: int,
    above: Caption | None,
    taken: Collection[int] = (),
    below: Collection[int] = (),
) -> Caption | None:
    """Return the caption of the table in block `index`, or else the sentence that introduces it; None without either.

    Args:
        above: the caption of the table in the block directly above, if there is one.
        taken: the blocks that are captions of other tables.
        below: the blocks that are labels of the tables directly above them.
    """
    over = _in_tabs(_caption_over(blocks, index, above, taken), tabs_around(blocks, index))
    if index + 1 in below:
        return Caption(label_of(blocks[index + 1]), index + 1, about=over.words if over else "")
    return over


def tabs_around(blocks: Sequence[Block], index: int) -> tuple[str, ...]:
    """Return the names of the tabs around block `index`, the outermost first.

    A tab of MkDocs contains what is indented below its line, whatever is between, and tabs may be nested.
    """
    names: list[str] = []
    indentation = _indentation(blocks[index])
    for block in reversed(blocks[:index]):
        if not indentation or block.kind == "heading":
            break
        if _indentation(block) < indentation:
            indentation = _indentation(block)
            box = _box(block)
            names += [plain_text(box.title)] if box and box.is_tab and box.title else []
    return (*blocks[index].tabs, *reversed(names))


def _indentation(block: Block) -> int:
    first = block.source.partition("\n")[0].expandtabs(4)
    return len(first) - len(first.lstrip(" "))


def _in_tabs(caption: Caption | None, tabs: Sequence[str]) -> Caption | None:
    """Return the caption of a table in tabs: their names, then its title; an introducing sentence becomes `about`."""
    if not tabs:
        return caption
    if caption is None or caption.introduces:
        return Caption(": ".join(tabs), about=caption.words if caption else "")
    title = () if caption.words == tabs[-1] else (caption.words,)
    return replace(caption, words=": ".join((*tabs, *title)))


def _caption_over(blocks: Sequence[Block], index: int, above: Caption | None, taken: Collection[int]) -> Caption | None:
    if title := _title_above(blocks, index, taken):
        return title
    free = index > 0 and index - 1 not in taken
    if free and (words := title_among_twins(blocks, index) or touching_title(blocks, index)):
        return Caption(words, index - 1)
    lead = lead_of(blocks[index - 1].shown) if free and blocks[index - 1].is_paragraph else None
    if title := _title_over_prose(blocks, index, taken):
        return replace(title, about=lead.words if lead and lead.introduces else "")
    if lead:
        return _with_its_paragraph(blocks, index, lead)
    # A sentence above two tables introduces both.
    return above if above and above.introduces else None


def is_bold_line(block: Block) -> bool:
    """Whether a block is one bold line, the title of the table or prose that follows."""
    bold = block.kind == "text" and "\n" not in block.shown and block.shown.startswith(("**", "__", "_**"))
    return bold and caption_of(block.shown) is not None


def caption_of(text: str) -> str | None:
    """Return the words of a last line that is bold from end to end or begins with `Table`; None if it is neither.

    Below another line it must be `Table` with a number, because a sentence may be wrapped before `table below:`.
    """
    above, _, last = text.rstrip().rpartition("\n")
    last = _BETWEEN_RUNS.sub(r"\g<space>", ANCHOR.sub("", last.rstrip("| ")))
    bold = _BOLD_LINE.fullmatch(last)
    if bold and not re.search(r"\*\*|__", bold["words"]):
        words = plain_text(bold["words"]).rstrip(_COLONS).strip()
        is_sentence = words.endswith((".", "!", "?")) and len(words.split()) > MAX_TITLE_SENTENCE
        return None if is_sentence else words or None
    begins = NUMBERED.match(last) if above.strip() else True
    whole = not last.endswith((".", ",", ";")) or is_titled(last)
    if begins and whole and _TABLE_CAPTION.fullmatch(last):
        return plain_text(last).rstrip(":.").strip() or None
    return None


def lead_of(paragraph: str) -> Caption | None:
    """Return the caption in a paragraph directly above a table; None if it does not refer to the table.

    It does if it ends with a colon, or if one of its sentences mentions the table or what follows. That sentence is the
    caption, unless the paragraph begins with a bold name, which is then the caption.
    """
    words = plain_text(paragraph)
    sentences = sentences_of(words)
    lead = ""
    if words.endswith(tuple(_COLONS)):
        lead = " ".join(sentences[-2:] if ends_short(sentences) else sentences[-1:])
    elif named := naming(sentences):
        lead = named[-1]
    run_in = _RUN_IN.match(paragraph)
    if lead and run_in and " " in (label := plain_text(run_in["label"])):
        return Caption(label)
    lead = lead.rstrip(f"{_COLONS} ")
    return Caption(lead, introduces=True) if 0 < len(lead) <= MAX_LEAD else None


def sentences_of(words: str) -> Sequence[str]:
    """Return the sentences of a plain text."""
    return _SENTENCE_END.split(words)


def ends_short(sentences: Sequence[str]) -> bool:
    """Whether the last of several sentences depends on the one before it: `They are`."""
    return len(sentences) > 1 and len(sentences[-1].split()) < _MIN_LEAD_WORDS


def naming(sentences: Sequence[str]) -> Sequence[str]:
    """Return the sentences that refer to a table or to what follows."""
    return [sentence for sentence in sentences if _NAMES_A_TABLE.search(sentence)]


def _with_its_paragraph(blocks: Sequence[Block], index: int, lead: Caption) -> Caption:
    """Return a lead with its whole short paragraph if several tables share the section: `Mix a base. Its recipe is
    below.`"""
    section = blocks[index].heading_path
    words = plain_text(blocks[index - 1].shown).rstrip(f"{_COLONS} ")
    alone = sum(block.kind == "table" and block.heading_path == section for block in blocks) < 2
    return lead if alone or not lead.introduces or len(words) > MAX_LEAD else replace(lead, words=words)


def _html_title(block: Block) -> str:
    """Return the words of an HTML block that only has a title: `<summary>Options</summary>`, `<b>Options</b>`."""
    match = _HTML_TITLE.search(block.shown) if block.kind == "html" else None
    words = plain_text(without_tags(match["words"], " ")) if match else ""
    whole_text = plain_text(without_tags(block.shown, " "))
    return words.rstrip(":") if words == whole_text and len(words) <= MAX_SUBTITLE else ""


def _box_title(block: Block) -> str:
    box = _box(block)
    return plain_text(box.title) if box else ""


def _box(block: Block) -> Box | None:
    line = block.source.strip()
    return box_of(line) if block.kind == "text" and "\n" not in line else None


def _title_over_prose(blocks: Sequence[Block], index: int, taken: Collection[int]) -> Caption | None:
    """Return a title above the prose over the table: `**Table: Omens**` is its caption, another bold line heads both.

    Nothing is returned from above a paragraph that begins with a bold name, because that begins a new subject.
    """
    for block in range(index - 1, -1, -1):
        if blocks[block].kind != "text" or block in taken:
            return None
        label, words = label_of(blocks[block]), caption_of(blocks[block].shown)
        if label or (words and _TABLE_CAPTION.fullmatch(words)):
            return Caption(label or words or "", block)
        if words and is_bold_line(blocks[block]):
            return Caption(words)
        if _RUN_IN.match(blocks[block].shown):
            return None
    return None


def about(blocks: Sequence[Block], index: int) -> str:
    """Return a short paragraph if nothing else is between a heading and the table below it; else empty."""
    if index < 2 or not is_plain_paragraph(blocks[index - 1]) or blocks[index - 2].kind != "heading":
        return ""
    words = plain_text(blocks[index - 1].shown)
    return words if len(words) <= MAX_LEAD else ""


def is_plain_paragraph(block: Block) -> bool:
    """Whether a paragraph is plain text, unlike a subtitle or a line of values, which begins with a mark."""
    return block.is_paragraph and not block.shown.startswith(("*", "_", "![", "[!"))


def _title_above(blocks: Sequence[Block], index: int, taken: Collection[int]) -> Caption | None:
    """Return the caption in the last line of the text block above, or of the block above a short subtitle."""
    if index and (outer := _html_title(blocks[index - 1]) or _box_title(blocks[index - 1])):
        return Caption(outer)
    for block in range(index - 1, max(index - 3, -1), -1):
        if blocks[block].kind != "text" or block in taken:
            return None
        if words := label_of(blocks[block]) or _last_line_title(blocks[block]):
            return Caption(words, block)
        if len(blocks[block].shown) > MAX_SUBTITLE:
            return None
    return None


def _last_line_title(block: Block) -> str | None:
    """Return the title in the last line of a block, or a list's only short item, but no bold line of a list."""
    item = None if block.is_paragraph else _ITEM.match(block.shown)
    if not item:
        return caption_of(block.shown)
    words = plain_text(block.shown[item.end() :])
    is_title = "\n" not in block.shown and not _LINK.fullmatch(block.shown, item.end()) and _TITLE.fullmatch(words)
    return words if is_title and len(words.split()) <= MAX_TITLE_WORDS else None


_Captions = Mapping[int, Caption | None]


def with_outer_titles(blocks: Sequence[Block], captions: _Captions) -> dict[int, Caption | None]:
    """Return the captions by the block of their table, with the title above in captions that a section has repeatedly.

    That title is the nearest bold line above that the section has only once. Captions are not changed if two of the
    tables are below the same title, or if any but the first is below none.
    """
    alike = defaultdict(list)
    for position, caption in captions.items():
        if caption and not caption.introduces:
            alike[blocks[position].heading_path, caption.words.casefold()].append(position)
    longer, twins = dict(captions), [places for places in alike.values() if len(places) > 1]
    titles = _titles(blocks) if twins else {}
    for places in twins:
        outer = {position: _above(blocks, titles, position) for position in places}
        if len(set(outer.values())) < len(places) or not all(outer[position] for position in places[1:]):
            continue
        for position, title in outer.items():
            caption = captions[position]
            if caption and title:
                longer[position] = replace(caption, words=f"{title}: {caption.words}")
    return longer


def _titles(blocks: Sequence[Block]) -> Mapping[int, str]:
    """Return the words of every bold line that occurs only once in its section, by block."""
    lines = {position: caption_of(block.shown) or "" for position, block in enumerate(blocks) if is_bold_line(block)}
    times = Counter((blocks[position].heading_path, words.casefold()) for position, words in lines.items())
    return {
        position: words
        for position, words in lines.items()
        if times[blocks[position].heading_path, words.casefold()] == 1
    }


def _above(blocks: Sequence[Block], titles: Mapping[int, str], table: int) -> str:
    section = blocks[table].heading_path
    above = (
        number for number in range(table - 1, -1, -1) if number in titles and blocks[number].heading_path == section
    )
    return titles.get(next(above, -1), "")


MAX_PURPOSE = 120
"""Most characters of a purpose, which is shown with every row."""
MIN_OWN_WORDS = 3
"""Fewest words of a purpose that are neither in the title nor generic."""

_LETTERS = re.compile(r"[^\W\d_]+")
_POINTER = re.compile(r"\bsee (?:also )?(?:below|above)", re.IGNORECASE)
"""A reference to something else below or above."""
_SAYS_NOTHING = word_set("introduces_table")


def purpose_of(blocks: Sequence[Block], index: int, called: Caption | None) -> str:
    """Return a short sentence about the purpose of the table in block `index`; empty if the prose above has none.

    It is the introduction of the table, or a sentence of the paragraph above that mentions it, or the first sentence of
    that paragraph if nothing else is between the heading and the table.
    """
    introduction = called.about or (called.words if called.introduces else "") if called else ""
    if introduction:
        return _short(_introducing(sentences_of(introduction)), blocks[index].heading_path, called)
    top = called.block if called and called.block is not None and called.block < index else index
    if not top or not is_plain_paragraph(blocks[top - 1]):
        return ""
    sentences = sentences_of(plain_text(blocks[top - 1].shown))
    named = naming(sentences)
    alone = top > 1 and blocks[top - 2].kind == "heading"
    return _short(named[-1:] or (sentences[:1] if alone else []), blocks[index].heading_path, called)


def _introducing(sentences: Sequence[str]) -> Sequence[str]:
    """Return the last sentence that refers to the table, or else the last that is not short (`They are`)."""
    named = naming(sentences)
    return named[-1:] or (sentences[-2:-1] if ends_short(sentences) else sentences[-1:])


def _short(sentences: Sequence[str], headings: Sequence[str], called: Caption | None) -> str:
    """Return the first sentence if it is short and has words beyond the title of the table; else empty."""
    purpose = sentences[0].strip().rstrip(f"{_COLONS}; ") if sentences else ""
    title = " ".join(headings[-1:]) + f" {called.words if called and not called.introduces else ''}"
    own = set(_words(purpose)) - set(_words(title)) - _SAYS_NOTHING
    whole = len(purpose) <= MAX_PURPOSE and not purpose.startswith("(") and not _POINTER.search(purpose)
    return purpose if whole and len(own) >= MIN_OWN_WORDS else ""


def _words(text: str) -> list[str]:
    return [word for word in _LETTERS.findall(text.casefold()) if len(word) > 2]

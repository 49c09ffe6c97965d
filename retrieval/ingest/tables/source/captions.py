"""What a table is called: its caption, or the sentence that introduces it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from retrieval.ingest.markdown.blocks import Block
from retrieval.ingest.markdown.words import plain_text, without_tags
from retrieval.ingest.tables.source.labels import ANCHOR, NUMBERED, TABLE, is_titled, label_of
from retrieval.ingest.tables.source.twin_titles import title_among_twins, touching_title

MAX_SUBTITLE = 200
"""Characters of a line that may come between a caption and its table."""
MAX_TITLE_SENTENCE = 8
"""Words of a bold line that ends as a sentence does; a longer one tells its reader what to do, and is no title."""
MAX_LEAD = 200
"""Characters of a sentence that introduces a table; a longer one tells a story."""
_MIN_LEAD_WORDS = 4
"""A shorter sentence (`They are:`) says what it is about in the one before."""

_BOLD_LINE = re.compile(r"\s*[*_]?(\*\*|__)(?P<words>.+?)\1[*_]?\s*:?\s*")
_BETWEEN_RUNS = re.compile(r"(?<=[^\s*_])(\*\*|__)(?P<space> +)\1(?=[^\s*_])")
"""Between the parts of a line that is bold piece by piece: `**Omens** **of the sea**`."""
_TABLE_CAPTION = re.compile(rf"\s*[*_]{{0,3}}{TABLE}\b[^|]{{0,160}}")
_HTML_TITLE = re.compile(
    r"<(summary|figcaption|b|strong|center|h[1-6])\b[^>]*>(?P<words>.*?)</\1>", re.IGNORECASE | re.DOTALL
)
_BOX_TITLE = re.compile(
    r"(?:!!!|\?\?\?\+?|===)\s[^\"\n]*\"(?P<mkdocs>[^\"\n]+)\"|:{3,}\s*\{?[\w-]+\}?[ \t]+(?P<colons>[^\n]+)"
)
"""`!!! note "Ports"`, `=== "Linux"`, `:::note Ports`."""
_TAB = re.compile(r"===[+!]*\s+\"(?P<name>[^\"\n]+)\"")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)\]]*\s+(?=[A-Z“\"'‘(\[])")
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
    """What the words around a table call it."""

    words: str
    block: int | None = None
    """Index of the block whose last line is the caption; None for words that stay prose."""
    introduces: bool = False
    """Whether it is a sentence and no title."""
    about: str = ""
    """What else is said about the table."""


def caption_at(
    blocks: Sequence[Block],
    index: int,
    above: Caption | None,
    taken: Collection[int] = (),
    below: Collection[int] = (),
) -> Caption | None:
    """The caption of the table in block `index`, or else the sentence that introduces it.

    Args:
        blocks: of the document.
        index: of a table's block.
        above: what the table in the block directly above is called, if there is one.
        taken: the blocks that are captions of other tables.
        below: the blocks that are labels of the tables directly above them.
    """
    over = _in_tabs(_caption_over(blocks, index, above, taken), tabs_around(blocks, index))
    if index + 1 in below:
        return Caption(label_of(blocks[index + 1]), index + 1, about=over.words if over else "")
    return over


def tabs_around(blocks: Sequence[Block], index: int) -> tuple[str, ...]:
    """The names of the MkDocs tabs that the block `index` is in, the outermost first.

    A tab holds what is indented below its line, whatever else stands between, and tabs may nest.
    """
    names: list[str] = []
    indentation = _indentation(blocks[index])
    for block in reversed(blocks[:index]):
        if not indentation or block.kind == "heading":
            break
        if _indentation(block) < indentation:
            indentation = _indentation(block)
            tab = _TAB.fullmatch(block.source.strip()) if block.kind == "text" else None
            names += [plain_text(tab["name"])] if tab else []
    return tuple(reversed(names))


def _indentation(block: Block) -> int:
    first = block.source.partition("\n")[0].expandtabs(4)
    return len(first) - len(first.lstrip(" "))


def _in_tabs(caption: Caption | None, tabs: Sequence[str]) -> Caption | None:
    """What a table in tabs is called: their names, then its own title; a sentence that introduces it is about it."""
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
    # Two tables under one sentence: it introduces both.
    return above if above and above.introduces else None


def is_bold_line(block: Block) -> bool:
    """Whether a block is one bold line: the title of what follows, be it a table or prose."""
    bold = block.kind == "text" and "\n" not in block.shown and block.shown.startswith(("**", "__", "_**"))
    return bold and caption_of(block.shown) is not None


def caption_of(text: str) -> str | None:
    """The words of a last line that is bold from end to end, or that begins with `Table`; None if it is neither.

    Under another line it must be `Table` with a number: a sentence may be wrapped before `table below:`.
    """
    above, _, last = text.rstrip().rpartition("\n")
    last = _BETWEEN_RUNS.sub(r"\g<space>", ANCHOR.sub("", last.rstrip("| ")))
    bold = _BOLD_LINE.fullmatch(last)
    if bold and not re.search(r"\*\*|__", bold["words"]):
        words = plain_text(bold["words"]).rstrip(":").strip()
        is_sentence = words.endswith((".", "!", "?")) and len(words.split()) > MAX_TITLE_SENTENCE
        return None if is_sentence else words or None
    begins = NUMBERED.match(last) if above.strip() else True
    whole = not last.endswith((".", ",", ";")) or is_titled(last)
    if begins and whole and _TABLE_CAPTION.fullmatch(last):
        return plain_text(last).rstrip(":.").strip() or None
    return None


def lead_of(paragraph: str) -> Caption | None:
    """What a paragraph directly above a table calls it; None if it does not speak of the table.

    It does if it ends with a colon or a sentence of it names the table or what follows. That sentence is the caption,
    unless the paragraph begins with a name in bold: the table is of that.
    """
    words = plain_text(paragraph)
    sentences = sentences_of(words)
    lead = ""
    if words.endswith(":"):
        lead = " ".join(sentences[-2:] if ends_short(sentences) else sentences[-1:])
    elif named := naming(sentences):
        lead = named[-1]
    run_in = _RUN_IN.match(paragraph)
    if lead and run_in and " " in (label := plain_text(run_in["label"])):
        return Caption(label)
    lead = lead.rstrip(": ")
    return Caption(lead, introduces=True) if 0 < len(lead) <= MAX_LEAD else None


def sentences_of(words: str) -> Sequence[str]:
    """The sentences of a plain text."""
    return _SENTENCE_END.split(words)


def ends_short(sentences: Sequence[str]) -> bool:
    """Whether the last of several says too little without the one before it: `They are`."""
    return len(sentences) > 1 and len(sentences[-1].split()) < _MIN_LEAD_WORDS


def naming(sentences: Sequence[str]) -> Sequence[str]:
    """Those that speak of a table or of what follows."""
    return [sentence for sentence in sentences if _NAMES_A_TABLE.search(sentence)]


def _with_its_paragraph(blocks: Sequence[Block], index: int, lead: Caption) -> Caption:
    """A lead and what else its short paragraph says, where several tables share a section: `Mix a base. Its recipe is
    below.`"""
    section = blocks[index].heading_path
    words = plain_text(blocks[index - 1].shown).rstrip(": ")
    alone = sum(block.kind == "table" and block.heading_path == section for block in blocks) < 2
    return lead if alone or not lead.introduces or len(words) > MAX_LEAD else replace(lead, words=words)


def _html_title(block: Block) -> str:
    """The words of an HTML block that says nothing else: `<summary>Options</summary>`, `<b>Options</b>`."""
    match = _HTML_TITLE.search(block.shown) if block.kind == "html" else None
    words = plain_text(without_tags(match["words"], " ")) if match else ""
    said = plain_text(without_tags(block.shown, " "))
    return words.rstrip(":") if words == said and len(words) <= MAX_SUBTITLE else ""


def _box_title(block: Block) -> str:
    match = _BOX_TITLE.fullmatch(block.source.strip()) if block.kind == "text" else None
    return plain_text(match["mkdocs"] or match["colons"]) if match else ""


def _title_over_prose(blocks: Sequence[Block], index: int, taken: Collection[int]) -> Caption | None:
    """A title over the prose above the table: `**Table: Omens**` is its caption, another bold line heads both.

    Not over a paragraph that begins with a name in bold: there something else began.
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
    """The words of a short paragraph that is all there is between a heading and the table below it; else nothing."""
    if index < 2 or not is_plain_paragraph(blocks[index - 1]) or blocks[index - 2].kind != "heading":
        return ""
    words = plain_text(blocks[index - 1].shown)
    return words if len(words) <= MAX_LEAD else ""


def is_plain_paragraph(block: Block) -> bool:
    """Whether it is words: a line of values or a subtitle begins with a mark."""
    return block.is_paragraph and not block.shown.startswith(("*", "_", "![", "[!"))


def _title_above(blocks: Sequence[Block], index: int, taken: Collection[int]) -> Caption | None:
    """The caption in the last line of the text block above, or, over one short subtitle, of the block above that."""
    if index and (outer := _html_title(blocks[index - 1]) or _box_title(blocks[index - 1])):
        return Caption(outer)
    for block in range(index - 1, max(index - 3, -1), -1):
        if blocks[block].kind != "text" or block in taken:
            return None
        if words := label_of(blocks[block]) or caption_of(blocks[block].shown):
            return Caption(words, block)
        if len(blocks[block].shown) > MAX_SUBTITLE:
            return None
    return None

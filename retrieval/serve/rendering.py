"""Markdown of books as HTML that a page may show, with the words of a question marked. A book is not trusted."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.ingest.markdown.boxes import box_of
from retrieval.ingest.markdown.parser import (
    Token,
    html_of,
    inline_tokens,
    plain_text,
    readable,
    whole_tokens,
    without_comments,
    without_tags,
)
from retrieval.ingest.markdown.spans import without_marks
from retrieval.language.terms import Tokenize
from retrieval.rag.relevance import subject_of

_KEPT_TAG = re.compile(r"<(/?)(b|br|code|del|em|i|kbd|s|small|strong|sub|sup|u|var)(?:\s[^<>]*)?/?>", re.IGNORECASE)
"""Tags of books that are kept, without attributes; every other tag is left out, and its text stays."""
_WEB = ("https://", "http://")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LONGEST_NAME = 3
"""Words that the vocabulary may read as one term, as `armor class` for `AC`."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders markdown for one question.

    The HTML has no script, style, image, form, attribute of the book's own or address but those of web links.
    """

    terms: frozenset[str]
    """Terms of the question as the index cuts them; empty: nothing is marked."""
    tokenize: Tokenize
    """Cuts a text as the index does."""

    @classmethod
    def of(cls, snapshot: Snapshot, question: str = "") -> "Renderer":
        """A renderer that marks what a question asks for; misspelt words count as they were read."""
        subject = snapshot.spelling(subject_of(question)) if question else ""
        return cls(frozenset(snapshot.lexical.read(subject)) if subject else frozenset(), snapshot.lexical.tokenize)

    def block(self, markdown: str) -> str:
        """HTML of paragraphs, lists, tables and code."""
        return html_of(list(self._safe(whole_tokens(without_comments(markdown)))))

    def plain(self, text: str) -> str:
        """HTML of a cell or a column's head, which the index has as plain text."""
        return self._marked(text)

    def _safe(self, tokens: Iterable[Token]) -> Iterator[Token]:
        for token in tokens:
            if token.type == "inline":
                content = readable(without_marks("\n".join(map(_with_box_title, token.content.split("\n")))))
                children = inline_tokens(content)[0].children if content != token.content else token.children
                token.children = list(self._safe_inline(children or []))
            elif token.type == "html_block":
                yield _html(f"<p>{self._marked(unescape(without_tags(token.content, ' ')).strip())}</p>")
                continue
            elif token.type in {"heading_open", "heading_close"}:
                token.tag = "p"  # the headings of the page are the page's own
                token.attrs = {"class": "heading"} if token.nesting > 0 else {}
            else:
                token.info, token.attrs = "", {}  # a language of code, the side that a column is aligned to
            yield token

    def _safe_inline(self, tokens: Iterable[Token]) -> Iterator[Token]:
        is_link: list[bool] = []
        for token in tokens:
            if token.type == "text":
                yield _html(self._marked(token.content))
            elif token.type == "html_inline":
                yield _html(_kept_tag(token.content))
            elif token.type == "image":
                yield _html(f"<i>{escape(token.content or 'image')}</i>")
            elif token.type == "link_open":
                href = str(token.attrs.get("href", ""))
                is_link.append(href.startswith(_WEB))
                token.attrs = {"href": href, "rel": "noopener noreferrer nofollow"}
                yield from [token] if is_link[-1] else []
            elif token.type != "link_close" or is_link.pop():
                yield token

    def _marked(self, text: str) -> str:
        """The text as HTML, each word of the question in `<mark>`."""
        words = list(_WORD.finditer(text)) if self.terms else []
        pieces, at, number = [], 0, 0
        while number < len(words):
            size = self._matched(text, words[number : number + _LONGEST_NAME])
            if size:
                start, end = words[number].start(), words[number + size - 1].end()
                pieces += [escape(text[at:start]), f"<mark>{escape(text[start:end])}</mark>"]
                at = end
            number += size or 1
        return "".join((*pieces, escape(text[at:])))

    def _matched(self, text: str, words: Sequence[re.Match[str]]) -> int:
        """How many of these words together are one term of the question; 0 where the first begins none."""
        for size in range(len(words), 0, -1):
            cut = self.tokenize(text[words[0].start() : words[size - 1].end()])
            if (len(cut) == 1 or size == 1) and self.terms.intersection(cut):
                return size
        return 0


def _with_box_title(line: str) -> str:
    """For the first line of a box a line of its own in bold: its title, or else its kind."""
    box = box_of(line)
    words = box.title or box.kind.capitalize() if box else ""
    return f"**{words}**  " if words else line


def _html(content: str) -> Token:
    """A token that is shown as it is."""
    return Token("html_inline", "", 0, content=content)


def _kept_tag(tag: str) -> str:
    """A tag without its attributes; nothing for one that is left out; `<id>`, which is none of HTML's, as text."""
    match = _KEPT_TAG.fullmatch(tag)
    if match:
        return f"<{match[1]}{match[2]}>"
    return escape(tag) if plain_text(tag) else ""

"""Renders the markdown of books as safe HTML, with the words of a question marked. Books are not trusted."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import quote, unquote, urlsplit

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
from retrieval.rag.relevance import subject_of
from retrieval.types import Chunk

_KEPT_TAG = re.compile(r"<(/?)(b|br|code|del|em|i|kbd|s|small|strong|sub|sup|u|var)(?:\s[^<>]*)?/?>", re.IGNORECASE)
"""Tags of books that are kept, without attributes; all other tags are removed, and their text stays."""
_WEB = ("https://", "http://")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LONGEST_NAME = 3
"""The most words that the vocabulary may read as one term, such as `armor class` for `AC`."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders markdown for one question.

    The HTML has no script, style, image, form or attribute from the book, and no address except those of web links and
    of documents of the same book.
    """

    snapshot: Snapshot
    terms: frozenset[str]
    """Index terms of the question; empty: nothing is marked."""

    @classmethod
    def of(cls, snapshot: Snapshot, question: str = "") -> "Renderer":
        """Return a renderer that marks the words of a question; misspelt words are marked as they were read."""
        subject = snapshot.spelling(subject_of(question)) if question else ""
        terms = frozenset(snapshot.lexical.read(subject)) if subject else frozenset[str]()
        return cls(snapshot, terms)

    def block(self, markdown: str, chunk: Chunk | None = None) -> str:
        """Return the HTML of paragraphs, lists, tables and code.

        Args:
            markdown: what is rendered.
            chunk: the chunk that it is from; None: links to other documents are text.
        """
        return html_of(list(self._safe(whole_tokens(without_comments(markdown)), chunk)))

    def plain(self, text: str) -> str:
        """Return the HTML of a cell or a column's head, which is plain text in the index."""
        return self._marked(text)

    def _safe(self, tokens: Iterable[Token], chunk: Chunk | None) -> Iterator[Token]:
        for token in tokens:
            if token.type == "inline":
                content = readable(without_marks("\n".join(map(_with_box_title, token.content.split("\n")))))
                children = inline_tokens(content)[0].children if content != token.content else token.children
                token.children = list(self._safe_inline(children or [], chunk))
            elif token.type == "html_block":
                yield _html(f"<p>{self._marked(unescape(without_tags(token.content, ' ')).strip())}</p>")
                continue
            elif token.type in {"heading_open", "heading_close"}:
                token.tag = "p"  # headings in the HTML are reserved for the page
                token.attrs = {"class": "heading"} if token.nesting > 0 else {}
            else:
                token.info, token.attrs = "", {}  # the language of code, the alignment of a column
            yield token

    def _safe_inline(self, tokens: Iterable[Token], chunk: Chunk | None) -> Iterator[Token]:
        is_link: list[bool] = []
        for token in tokens:
            if token.type == "text":
                yield _html(self._marked(token.content))
            elif token.type == "html_inline":
                yield _html(_kept_tag(token.content))
            elif token.type == "image":
                yield _html(f"<i>{escape(token.content or 'image')}</i>")
            elif token.type == "link_open":
                attributes = self._link(str(token.attrs.get("href", "")), chunk)
                is_link.append(bool(attributes))
                token.attrs = attributes
                yield from [token] if attributes else []
            elif token.type != "link_close" or is_link.pop():
                yield token

    def _link(self, href: str, chunk: Chunk | None) -> dict[str, str | int | float]:
        """Return the attributes of a link to the web or to a document of the chunk's book; none of any other."""
        if href.startswith(_WEB):
            return {"href": href, "rel": "noopener noreferrer nofollow"}
        if chunk is None:
            return {}
        for document in _linked_documents(href, chunk.document):
            positions = self.snapshot.metadata.positions("document", document)
            if any(self.snapshot.chunks[position].book == chunk.book for position in positions.tolist()):
                return {"href": f"/book/{quote(chunk.book, safe='')}/{quote(document)}"}
        return {}

    def _marked(self, text: str) -> str:
        """Return the text as HTML, with each word of the question in `<mark>`."""
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
        """Return how many of these words together are one term of the question; 0 if the first begins none."""
        for size in range(len(words), 0, -1):
            cut = self.snapshot.lexical.tokenize(text[words[0].start() : words[size - 1].end()])
            if (len(cut) == 1 or size == 1) and self.terms.intersection(cut):
                return size
        return 0


def _linked_documents(href: str, document: str) -> Iterator[str]:
    """Yield the documents that a link within a book may mean, as sites resolve it: `../a.md`, `a.html`, `/guide/a/`."""
    try:
        parts = urlsplit(href)
    except ValueError:  # a broken IPv6 address
        return
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or not path.strip("/"):
        return
    own = PurePosixPath(document)
    for folder in (own.parent, own.with_suffix("")) if path[0] != "/" else (PurePosixPath(),):
        linked = normpath((folder / path.strip("/")).as_posix())
        yield linked
        yield f"{linked.removesuffix('.html')}.md"
        yield from (f"{linked}/{name}.md" for name in ("index", "_index", "README"))


def _with_box_title(line: str) -> str:
    """Return a line in bold for the first line of a box: its title, or else its kind."""
    box = box_of(line)
    words = box.title or box.kind.capitalize() if box else ""
    return f"**{words}**  " if words else line


def _html(content: str) -> Token:
    """Return a token that is output as it is."""
    return Token("html_inline", "", 0, content=content)


def _kept_tag(tag: str) -> str:
    """Return a tag without its attributes; nothing if it is removed; `<id>`, which is not an HTML tag, as text."""
    match = _KEPT_TAG.fullmatch(tag)
    if match:
        return f"<{match[1]}{match[2]}>"
    return escape(tag) if plain_text(tag) else ""

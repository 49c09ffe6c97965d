"""Random markdown of a seed, of everything that an author or a converter may write. Its words are numbered."""

import random
import re
from collections.abc import Callable
from itertools import count

_STRANGE = (
    "\u200f\u202eשלום", "مرحبا", "\x07", "\x1b[31m", "\u00a0", "\ufeff", "e\u0301\u0301", "\U0001f469\u200d\U0001f467",
    "\U0001d504", "\u2028", "&nbsp;", "\\|",
)  # fmt: skip
_STYLES = (
    "{}", "{}", "{}", "*{}*", "**{}**", "`{}`", "[{}](http://e.org/a_(b))", "![{}](a.png)", "~~{}~~", "<b>{}</b>",
)  # fmt: skip
_VALUES = (
    "2026-13-99", "[1, [2, {a: b}]]", "'unclosed", "yes", "007", "1e999", "null", "{a: {b: c}}", "|\n  two\n  lines",
    "2026-01-01", '"quoted: colon"', "!!python/object:os.system x", "&a [*a]", "\u202eabc",
)  # fmt: skip


class Author:
    """Writes one document. `@` stands for a word, which must be found again."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._blocks: tuple[Callable[[], str], ...] = (
            self._paragraph, self._paragraph, self._heading, self._heading, self._list, self._pipe_table,
            self._pipe_table, self._html_table, self._html_table, self._fence, self._quote, self._oddity,
            self._broken_table, self._boxed,
        )  # fmt: skip

    def document(self) -> str:
        """A document of up to twelve blocks, with front matter now and then."""
        blocks = [self._rng.choice(self._blocks)() for _ in range(self._rng.randint(1, 12))]
        if self._rng.random() < 0.1:
            unclosed = ("```\n@ @", "~~~python\n@", "<table><tr><td>@", "| @ | @ |\n|---|", "<div>\n@")
            blocks.append(self._rng.choice(unclosed))
        numbers = count(1)
        body = re.sub("@", lambda _: f"w{next(numbers)}x", self._rng.choice(("\n\n", "\n\n", "\n")).join(blocks))
        return self._front_matter() + body + self._rng.choice(("\n", "", "\n\n\n"))

    def _front_matter(self) -> str:
        if self._rng.random() < 0.7:
            return ""
        keys = self._rng.sample(("title", "tags", "author", "date", "Weird Key", "category", "version"), 3)
        lines = "".join(f"{key}: {self._rng.choice(_VALUES)}\n" for key in keys)
        return f"---\n{lines}---\n"

    def _words(self, most: int = 8) -> str:
        words = ["@"] * self._rng.randint(1, most)
        if self._rng.random() < 0.15:
            words.insert(self._rng.randint(0, len(words)), self._rng.choice(_STRANGE))
        return " ".join(self._rng.choice(_STYLES).format(word) for word in words)

    def _paragraph(self) -> str:
        longest = 300 if self._rng.random() < 0.05 else 30
        return "\n".join(self._words(longest) for _ in range(self._rng.randint(1, 3)))

    def _heading(self) -> str:
        level, words = self._rng.randint(1, 6), self._words(200 if self._rng.random() < 0.03 else 5)
        mark = "#" * level
        return self._rng.choice(
            (f"{mark} {words}", f"{mark} {words} {mark}", f"{words}\n===", f"{words}\n---", f"**{words}**")
        )

    def _list(self) -> str:
        lines = []
        for _ in range(self._rng.randint(1, 8)):
            mark = self._rng.choice(("-", "*", "+", "1.", "7)", "- [ ]"))
            lines.append(f"{'  ' * self._rng.randint(0, 6)}{mark} {self._words()}")
        return "\n".join(lines)

    def _cell(self) -> str:
        chance = self._rng.random()
        if chance < 0.15:
            return ""
        if chance < 0.3:
            return str(self._rng.randint(0, 99))
        return self._words(400 if chance > 0.995 else 3)

    def _pipe_table(self) -> str:
        columns, rows = self._rng.randint(1, 5), self._rng.randint(0, 8)
        ragged = [max(1, columns + self._rng.choice((0, 0, 0, 0, -1, 1))) for _ in range(rows + 1)]
        lines = ["| " + " | ".join(self._cell() for _ in range(width)) + " |" for width in ragged]
        lines.insert(1, "|" + self._rng.choice(("---|", ":-:|", "-|")) * ragged[0])
        return "\n".join([*([f"Table {self._rng.randint(1, 9)}: @"] if self._rng.random() < 0.3 else []), *lines])

    def _broken_table(self) -> str:
        """A table of cells that are half of something, over a delimiter row that may not fit."""
        pieces = (
            '"@"', '"from the"', "`@", "@`", "**@", "[@](", "@ \\", "^^", '"', "½", "2½ @", "-", "…",
            "9" * 40, "1-1", "1e999", "-0", "≥ 5", "a_@", "@; @", "(@", "@)", "$@^2$", "{@}", "<br>", "<td>@", "∞",
            "@, @ and @", "see @", "Table @", "D", "d6+@", "**@** | @",
        )  # fmt: skip
        columns, rows = self._rng.randint(1, 4), self._rng.randint(1, 7)
        lines = ["|" + "|".join(self._rng.choice(pieces) for _ in range(columns)) + "|" for _ in range(rows + 1)]
        lines = [line[self._rng.choice((0, 0, 0, 1)) :] for line in lines]
        cells = max(1, columns + self._rng.choice((0, 0, 0, -1, 1)))
        lines.insert(1, "|" + self._rng.choice(("---|", ":-:|", "-|", "--|", "- |")) * cells)
        return "\n".join(lines)

    def _boxed(self) -> str:
        opening = self._rng.choice(('=== "@"', '!!! note "@"', "??? tip", ":::note @", "- @", "> [!NOTE]", "1. @"))
        inside = self._rng.choice((self._pipe_table, self._broken_table, self._paragraph, self._html_table))()
        return opening + "\n\n" + "\n".join(f"    {line}" for line in inside.split("\n"))

    def _html_table(self) -> str:
        def cell() -> str:
            name = self._rng.choice(("td", "td", "td", "th"))
            span = self._rng.choice(("", "", "", ' rowspan="2"', ' colspan="3"', ' rowspan="0"', ' colspan="x"'))
            return f"<{name}{span}>{self._cell()}</{name}>"

        rows = ["".join(cell() for _ in range(self._rng.randint(1, 4))) for _ in range(self._rng.randint(1, 6))]
        caption = "<caption>@</caption>" if self._rng.random() < 0.3 else ""
        return "\n".join(["<table>", caption, *(f"<tr>{row}</tr>" for row in rows), "</table>"]).replace("\n\n", "\n")

    def _fence(self) -> str:
        return f"```{self._rng.choice(('', 'python', 'c++ {1,2}'))}\n{self._words()}\n\n{self._words()}\n```"

    def _quote(self) -> str:
        inner = self._rng.choice((self._paragraph, self._list, self._pipe_table))()
        return "\n".join(f"> {line}" for line in inner.split("\n"))

    def _oddity(self) -> str:
        return self._rng.choice((
            "---", "***", "<!-- hidden -->", "@[^1]\n\n[^1]: @", ":::note @\n@\n:::", "<div>@</div>",
            "    @ @", "@  \n@",
            "<details><summary>@</summary>\n\n@\n\n</details>", "\\# @", "Table: @",
            "- @\n\n  @\n\n  | @ |\n  |---|\n  | @ |",
            "@ @:", "$$\n@\n$$", "<br/>@<br>", "#@", "@\n\t@", "1. @\n\n   ```\n   @\n   ```",
        ))  # fmt: skip

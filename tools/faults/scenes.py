"""Books of tables of near-twins and prose, and homes made of them, in which something is interrupted."""

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import RetrievalError
from retrieval.files.records import dump_record
from retrieval.settings import Settings
from tools.corpora.indexes import Tell
from tools.faults.judge import Form, form_of
from tools.faults.warm import Warm

ROWS = 6
"""Of each table, of which a document has two."""
EDITIONS = 3
"""Each differs from the one before in books, in documents and in single cells."""
_BOOKS = (
    # By edition: the edition that each of a book's documents is in; a book that is not there has none.
    ((0, 0), (1, 0), (2, 1)),
    ((0,), (0,), (0,)),
    ((0,), (1,), ()),
    ((), (), (2,)),
)


@dataclass(frozen=True, slots=True)
class Written:
    """One document of an edition. Key: (book, name)."""

    book: str
    name: str
    text: str
    question: str
    """That a row of it answers."""


def edition(number: int, seed: int) -> tuple[Written, ...]:
    """The documents of one edition.

    Args:
        number: 0 to `EDITIONS` - 1.
        seed: of the words and numbers.
    """
    return tuple(
        _document(f"book-{book}", f"{position:02}.md", revision, random.Random(f"{seed}/{book}/{position}"))
        for book, revisions in enumerate(_BOOKS)
        for position, revision in enumerate(revisions[number])
    )


def alternating(revision: int, seed: int) -> tuple[Written, ...]:
    """Three documents that are all in one revision: no answer of one revision is an answer of another."""
    return tuple(_document(f"book-{book}", "00.md", revision, random.Random(f"{seed}/{book}")) for book in range(3))


def write_books(documents: tuple[Written, ...], library: Path) -> None:
    """Write an edition as a library: a folder for each book."""
    for document in documents:
        book = library / document.book
        book.mkdir(parents=True, exist_ok=True)
        (book / document.name).write_text(document.text, "utf-8")
        (book / "book.toml").write_text(f'title = "{document.book}"\n', "utf-8")


def write_rule_documents(documents: tuple[Written, ...], folder: Path) -> None:
    """Write an edition as the contract's documents: files with front matter, one folder for all."""
    folder.mkdir(parents=True)
    for document in documents:
        head = f"---\nsource: {document.book}\ndoc_type: core-rules\nlast_update_date: 2026-01-01\n---\n"
        (folder / f"{document.book}-{document.name}").write_text(head + document.text, "utf-8")


def _document(book: str, name: str, revision: int, rng: random.Random) -> Written:
    words = _words(rng)
    lines = [f"# {next(words).title()}"]
    subjects = [next(words).title() for _ in range(2)]
    for subject in subjects:
        lines += ["", f"## {subject}", "", "| Armor Class | Price | Weight |", "|---|---|---|"]
        for row in range(1, ROWS + 1):
            # The revision is the last figure of every number: no row of one revision is a row of another.
            price, weight = (rng.randint(10, 99) * 10 + revision for _ in range(2))
            lines.append(f"| {row} | {price} | {weight} |")
    for _ in range(2):
        known = [next(words) for _ in range(6)]
        capitalize = " ".join(rng.choice(known) for _ in range(30)).capitalize()
        lines += ["", f"## {next(words).title()}", "", f"{capitalize}. Revision {revision}."]
    question = f"What is the price for armor class {rng.randint(1, ROWS)} of {subjects[0]}?"
    return Written(book, name, "\n".join(lines) + "\n", question)


def _words(rng: random.Random) -> Iterator[str]:
    """Invented words, no two of a document the same."""
    seen: set[str] = set()
    while True:
        word = "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3)) + rng.choice("nrlk")
        if word not in seen:
            seen.add(word)
            yield word


ACTS = "tools.faults.acts"
CLI = "pipeline.cli"


@dataclass(frozen=True, slots=True)
class Place:
    """Where every trial takes place: settings name a library by its path, so it is always the same."""

    work: Path

    @property
    def home(self) -> Path:
        """The home that is tried."""
        return self.work / "trial" / "home"

    @property
    def source(self) -> Path:
        """Its library, or the folder of its documents."""
        return self.work / "trial" / "source"

    def keep(self, name: str) -> Path:
        """Remember how home and source are now."""
        kept = self.work / name
        shutil.copytree(self.work / "trial", kept, symlinks=True)
        return kept

    def restore(self, kept: Path) -> None:
        """Make home and source what they were."""
        shutil.rmtree(self.work / "trial", ignore_errors=True)
        shutil.copytree(kept, self.work / "trial", symlinks=True)


@dataclass(frozen=True, slots=True)
class Scene:
    """Something to interrupt. Key: name."""

    name: str
    kept: Path
    """Home and source before it."""
    argv: tuple[str, ...]
    """The program that is interrupted."""
    forms: tuple[Path, ...]
    """Files of the forms of which one must be live afterwards, as `judge` reads them."""
    next: tuple[str, ...]
    """The program that must then do well."""
    final: Path
    """The form that it must leave: that of an index which was built from nothing."""


def library_scenes(place: Place, warm: Warm, seed: int, tell: Tell) -> tuple[Scene, ...]:
    """Build three editions of a library one after the other, and the last one from nothing too."""
    next_ = (ACTS, "build", str(place.home))

    def take(number: int, *, anew: bool = False) -> None:
        shutil.rmtree(place.source, ignore_errors=True)
        if anew:
            shutil.rmtree(place.home, ignore_errors=True)
        write_books(edition(number, seed), place.source)
        Settings(place.source).write(place.home)

    before, after, forms = _grown(place, warm, seed, "built", take, next_, tell)
    old, new = forms[1:]
    return (
        Scene("build", before, next_, (old, new), next_, new),
        Scene("rollback", after, (CLI, "rollback", "--home", str(place.home)), (old, new), next_, new),
        Scene("gc", after, (CLI, "gc", "--keep", "0", "--home", str(place.home)), (new,), next_, new),
        Scene("command", before, (CLI, "build", "--home", str(place.home)), (old, new), next_, new),
    )


def contract_scenes(place: Place, warm: Warm, seed: int, tell: Tell) -> tuple[Scene, ...]:
    """Ingest three editions of documents one after the other, and all that remains from nothing too."""
    next_ = (ACTS, "ingest", str(place.home), str(place.source))

    def take(number: int, *, anew: bool = False) -> None:
        documents: dict[tuple[str, str], Written] = {}
        # What a later edition does not have stays in the index: nobody takes it out.
        for document in (document for one in range(number + 1) for document in edition(one, seed)):
            documents[document.book, document.name] = document
        for folder in (place.source, *((place.home,) if anew else ())):
            shutil.rmtree(folder, ignore_errors=True)
        write_rule_documents(tuple(documents.values()), place.source)

    before, after, forms = _grown(place, warm, seed, "ingested", take, next_, tell)
    old, new = forms[1:]
    return (
        Scene("ingest", before, next_, (old, new), next_, new),
        Scene("rollback-ingested", after, (CLI, "rollback", "--home", str(place.home)), (old, new), next_, new),
        Scene("gc-ingested", after, (CLI, "gc", "--keep", "0", "--home", str(place.home)), (new,), next_, new),
    )


def _grown(
    place: Place, warm: Warm, seed: int, name: str, take: Callable[..., None], argv: tuple[str, ...], tell: Tell
) -> tuple[Path, Path, list[Path]]:
    """The home before the last edition and after it, and the files of all forms.

    Raises:
        RetrievalError: one could not be made, or what grew is not what is made from nothing.
    """
    questions = [document.question for number in range(EDITIONS) for document in edition(number, seed)]
    shutil.rmtree(place.work / "trial", ignore_errors=True)
    before, forms = place.work, list[Path]()
    for number in range(EDITIONS):
        tell(f"{name}: edition {number + 1}", number, EDITIONS + 1)
        take(number)
        if number == EDITIONS - 1:
            before = place.keep(f"{name}-before")
        grown = _made(warm, argv, place.home, questions)
        forms.append(place.work / f"{name}-{number}.json")
        forms[-1].write_bytes(dump_record(grown))
    after = place.keep(f"{name}-after")
    tell(f"{name}: from nothing", EDITIONS, EDITIONS + 1)
    take(EDITIONS - 1, anew=True)
    if _made(warm, argv, place.home, questions) != grown:
        raise RetrievalError(f"an index that was {name} edition by edition is not that of the last edition alone")
    return before, after, forms


def _made(warm: Warm, argv: tuple[str, ...], home: Path, questions: list[str]) -> Form:
    done = warm.run(*argv)
    if done.status != 0:
        raise RetrievalError(f"{' '.join(argv)} {done.sentence}")
    return form_of(home, questions)

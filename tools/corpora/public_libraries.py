"""Public libraries: our questions to them, and where their books are.

No shipped model is trained on `actualbudget`, `bikeshare`, `cnc`, `energymetadata`, `inventree`, `keyboard`,
`musicgrid`, `paperless` and `smartplug`; the ranking is not trained on `darktable`, `microbit` and `openstudio` either.

The books themselves are not part of this project. `libraries.jsonl` names the files of each library by their blobs in
its git repository, and `questions.jsonl` names the lines that answer a question, with the key of the row where a whole
table is on one line.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tools.corpora.books import BenchmarkDataError, read_records

_FOLDER = Path(__file__).with_name("public")
SET = "public"
"""Name of the set that is written."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a library that answers a question, or a row on it."""

    path: str
    line: int
    """1-based."""
    row_key: str | None = None
    """Key of the row if several are on the line."""

    def anchor(self, library: str, text: str) -> dict[str, str | int]:
        """The anchor of a questions file, from the text of the line."""
        key = {"row_key": self.row_key} if self.row_key else {}
        return {"file": f"{library}/{self.path}", "snippet": text.strip(), "line": self.line, **key}


@dataclass(frozen=True, slots=True)
class PublicLibrary:
    """Some files of a public repository. Key: name."""

    name: str
    repository: str
    """`owner/name` on GitHub."""
    commit: str
    """At which the files were read."""
    files: Mapping[str, str]
    """Ids of git blobs by path in the library."""

    @classmethod
    def parse(cls, record: Mapping[str, Any]) -> "PublicLibrary":
        """From a line of `libraries.jsonl`. Raises ValueError where a path leads out of the library."""
        for path in record["files"]:
            if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                raise ValueError(f"the path {path!r} leads out of the library")
        return cls(record["name"], record["repository"], record["commit"], dict(record["files"]))


@dataclass(frozen=True, slots=True)
class PublicQuestion:
    """A question to a public library. Key: id."""

    library: str
    id: str
    kind: str
    query: str
    answer: str
    """Empty where it is none or long."""
    gold: tuple[tuple[Place, ...], ...]
    """Each that is needed for the answer, as alternatives."""

    @classmethod
    def parse(cls, record: Mapping[str, Any]) -> "PublicQuestion":
        """From a line of `questions.jsonl`. Raises ValueError where a place stands twice, which hides another one."""
        gold = tuple(tuple(Place(*place) for place in places) for places in record["gold"])
        if any(len(set(places)) < len(places) for places in gold):
            raise ValueError(f"{record['id']} has the same place twice as alternatives")
        return cls(record["library"], record["id"], record["kind"], record["query"], record.get("answer", ""), gold)

    def with_text(self, lines: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The record of a questions file.

        Args:
            lines: of the files of its library.
        """
        gold = [
            [place.anchor(self.library, lines[place.path][place.line - 1]) for place in places] for places in self.gold
        ]
        return {
            "id": self.id,
            "query": self.query,
            "kind": self.kind,
            "answer": self.answer,
            "gold": [anchors[0] if len(anchors) == 1 else {"any_of": anchors} for anchors in gold],
        }


def public_libraries() -> tuple[PublicLibrary, ...]:
    """All of them, by name."""
    return tuple(read_records(_FOLDER / "libraries.jsonl", PublicLibrary.parse))


def public_questions() -> tuple[PublicQuestion, ...]:
    """All questions, by library."""
    return tuple(read_records(_FOLDER / "questions.jsonl", PublicQuestion.parse))


def write_public_set(clones: Path, data: Path) -> tuple[str, ...]:
    """Write the libraries whose repositories are cloned as a set of books, `<data>/public`.

    Args:
        clones: folder with the git repositories, bare or not, as `<owner>/<name>`.
        data: folder of the sets.

    Returns:
        A sentence for each library that was not written.

    Raises:
        BenchmarkDataError: no repository is cloned, or git is not installed.
    """
    missing: list[str] = []
    libraries, questions = public_libraries(), public_questions()
    for library in libraries:
        try:
            texts = dict(_texts(clones / library.repository, library))
        except BenchmarkDataError as error:
            missing.append(f"{library.name}: {error}")
            continue
        _write_book(
            data / SET, library.name, texts, [question for question in questions if question.library == library.name]
        )
    if len(missing) == len(libraries):
        raise BenchmarkDataError(f"no library could be written; {missing[0]}")
    return tuple(missing)


def _write_book(folder: Path, name: str, texts: Mapping[str, bytes], questions: Sequence[PublicQuestion]) -> None:
    for path, text in texts.items():
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    lines = {path: text.decode("utf-8", "replace").split("\n") for path, text in texts.items()}
    records = [json.dumps(question.with_text(lines), ensure_ascii=False) for question in questions]
    (folder / f"{name}.open.jsonl").write_text("".join(f"{record}\n" for record in records), "utf-8")


def _texts(clone: Path, library: PublicLibrary) -> Iterator[tuple[str, bytes]]:
    """The files of a library, read from its clone."""
    if not clone.is_dir():
        raise BenchmarkDataError(f"there is no {clone}; git clone https://github.com/{library.repository} {clone}")
    command = ["git", "-C", str(clone), "cat-file", "--batch"]
    wanted = "".join(f"{blob}\n" for blob in library.files.values()).encode()
    try:
        output = subprocess.run(command, input=wanted, capture_output=True, check=True).stdout  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise BenchmarkDataError(f"git cannot read {clone}: {error}") from error
    start = 0
    for path in library.files:
        end = output.index(b"\n", start)
        header = output[start:end].split()
        if header[1:2] != [b"blob"]:
            raise BenchmarkDataError(f"{clone} has no {path} of {library.commit}; clone its whole history")
        size = int(header[2])
        yield path, output[end + 1 : end + 1 + size]
        start = end + 1 + size + 1

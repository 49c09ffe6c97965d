"""One build: every book, then the library, then the scores, then live; it stops before anything is lost."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pipeline.definitions import load
from pipeline.runs.in_process import Problem, Runner, RunOutcome, dagster_instance, sync_books
from retrieval.home import Home
from retrieval.index.embedding.embedders import load_embedder
from retrieval.ingest.library.library import list_books, stray_files
from retrieval.search.strategies import STRATEGIES

Progress = Callable[[str, int, int], None]
"""Told what runs now, how many jobs are done, and how many there are."""


@dataclass(slots=True)
class Build:
    """What a build did; without problems its snapshot is live."""

    slugs: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    """Files beside the books' folders, which no book holds."""
    problems: list[Problem] = field(default_factory=list)
    books: dict[str, RunOutcome] = field(default_factory=dict)
    library: dict[str, dict[str, object]] = field(default_factory=dict)
    """Numbers of the whole-library assets."""

    def total(self, key: str) -> int:
        """The sum over the books of what their `embeddings` reported under `key`."""
        numbers = (outcome.numbers.get("embeddings", {}).get(key, 0) for outcome in self.books.values())
        return sum(number for number in numbers if isinstance(number, int))


def build(home: Home, progress: Progress = lambda *_: None) -> Build:
    """Bring the live index of `home` in step with its library.

    A book that fails does not stop the other books; it stops the snapshot, and readers keep the index that they had.

    Raises:
        LibraryError: the library cannot be read; nothing was changed.
        UnknownNameError: no embedder is called what the settings say; nothing was changed.
    """
    done = Build()
    # What cannot be used must not become the home's own: the next build would fail for it too.
    list_books(home.library)
    load_embedder(home.settings.embedder)
    done.strays = stray_files(home.library)
    home.settings.write(home.root)  # the runs, and the UI after them, find their settings there
    with dagster_instance(home) as instance:
        done.slugs = sync_books(home, instance)
        runner = Runner(load(), instance, home)
        jobs: list[tuple[str, str | None]] = [("index_book", slug) for slug in done.slugs]
        strategies = STRATEGIES if home.settings.questions else ()
        jobs += [("index_library", None), *(("evaluate", name) for name in strategies), ("go_live", None)]
        for number, (job, key) in enumerate(jobs):
            if done.problems and job != "index_book":
                break

            def tell(step: str, key: str | None = key, number: int = number) -> None:
                progress(f"{step} [{key}]" if key else step, number, len(jobs))

            tell(job)
            outcome = runner.run(job, key, tell)
            done.problems.extend(outcome.problems)
            if job == "index_book" and key is not None:
                done.books[key] = outcome
            else:
                done.library |= outcome.numbers
        progress("done", len(jobs), len(jobs))
    return done

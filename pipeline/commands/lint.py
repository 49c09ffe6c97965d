"""`querymust lint`: what is wrong with the predicates and rows of an index."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, HomeOption, JsonOption
from pipeline.console.output import out, print_json

if TYPE_CHECKING:
    from pipeline.lint.inspection import Inspection

CROWDED = 0.5
"""Tables below this near-duplicate density are counted, not listed."""


def lint_index(
    home: HomeOption = DEFAULT_HOME,
    candidate: Annotated[
        bool, typer.Option("--candidate", help="The newest snapshot, even if it is not live.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Check every query_must and every row of the live index; exit with status 1 where there are errors.

    A predicate must be satisfiable, admit its own row's title, and not admit its siblings'. Every cell of a source
    table must be in exactly one chunk. The near-duplicate density says which tables crowd a ranking.

    \b
    Examples:
      querymust lint
      querymust lint --candidate
      querymust lint --json
    """
    from pipeline.lint.inspection import inspect
    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import open_snapshot

    opened = Home.at(home)
    with open_snapshot(opened.root, opened.candidate if candidate else "live") as snapshot:
        found = inspect(opened, snapshot)
    if json_:
        print_json(record(found))
    else:
        _print(found)
    if found.n_errors:
        raise typer.Exit(1)


def record(found: Inspection) -> dict[str, object]:
    """An inspection as JSON values."""
    return {
        "snapshot": found.snapshot,
        "n_chunks": found.n_chunks,
        "n_guarded": found.n_guarded,
        "n_errors": found.n_errors,
        "findings": [
            asdict(finding) | {"severity": finding.severity, "title": found.titles[finding.id]}
            for finding in found.findings
        ],
        "fidelity": list(found.violations),
        "books_without_records": list(found.unread),
        "tables": [asdict(table) for table in found.densities],
    }


def _print(found: Inspection) -> None:
    for finding in found.findings:
        out.print(f"{finding.severity}: {finding.rule}: {found.titles[finding.id]}", markup=False)
        out.print(f"  {finding.message}  {finding.id}", markup=False)
    for sentence in found.violations:
        out.print(f"error: fidelity: {sentence}", markup=False)
    for slug in found.unread:
        out.print(f"{slug}: its records are not those of this snapshot; build it again to compare them", markup=False)
    _print_densities(found)
    if not found.n_guarded:
        from pipeline.lint.guarding import why_none_is_guarded

        out.print(why_none_is_guarded(len(found.densities)), markup=False)
    warnings = len(found.findings) + len(found.violations) - found.n_errors
    out.print(
        f"snapshot {found.snapshot}: {found.n_chunks} chunks, {found.n_guarded} guarded; "
        f"{found.n_errors} errors, {warnings} warnings"
    )


def _print_densities(found: Inspection) -> None:
    crowded = [table for table in found.densities if table.density >= CROWDED]
    if crowded:
        out.print("density   rows  guarded  table")
    for table in crowded:
        numbers = f"{table.density:>7.2f} {table.rows:>6} {table.guarded:>8}"
        out.print(f"{numbers}  {table.book}: {table.title}", markup=False)
    out.print(f"{len(found.densities) - len(crowded)} tables have a near-duplicate density below {CROWDED}")

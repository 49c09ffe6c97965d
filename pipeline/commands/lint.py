"""`querymust lint`: what is wrong with the predicates and rows of an index."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, AllOption, HomeOption, JsonOption
from pipeline.console.output import counted, out, print_json

if TYPE_CHECKING:
    from pipeline.lint.inspection import Inspection

CROWDED = 0.5
"""Tables below this near-duplicate density are counted, not listed."""
TABLES_SHOWN = 5
"""Of each reason why tables are not guarded."""


def lint_index(
    home: HomeOption = DEFAULT_HOME,
    candidate: Annotated[
        bool, typer.Option("--candidate", help="Check the newest snapshot, even if it is not live.")
    ] = False,
    density: Annotated[
        bool, typer.Option("--density", help="List the tables with many near-duplicates, the densest first.")
    ] = False,
    all_: AllOption = False,
    json_: JsonOption = False,
) -> None:
    """Check every query_must and every row of the live index; exit with status 1 if there are errors.

    A predicate must be satisfiable, admit its own row's title, and not admit its siblings'. Every cell of a source
    table must be in exactly one chunk. Tables that are not guarded are listed with the reason, and what looks like a
    table and was not read as one with its file and line.

    \b
    Examples:
      querymust lint
      querymust lint --all
      querymust lint --density
      querymust lint --candidate
      querymust lint --json
    """
    from pipeline.lint.inspection import inspect
    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import open_snapshot

    opened = Home.at(home)
    with open_snapshot(opened.root, opened.candidate if candidate else "live") as snapshot:
        inspection = inspect(opened, snapshot)
    if json_:
        print_json(record(inspection))
    else:
        _print(inspection, density=density, shown=None if all_ else TABLES_SHOWN)
    if inspection.n_errors:
        raise typer.Exit(1)


def record(inspection: Inspection) -> dict[str, object]:
    """Return an inspection as JSON values."""
    return {
        "snapshot": inspection.snapshot,
        "n_chunks": inspection.n_chunks,
        "n_guarded": inspection.n_guarded,
        "n_errors": inspection.n_errors,
        "findings": [
            asdict(finding) | {"severity": finding.severity, "title": inspection.titles[finding.id]}
            for finding in inspection.findings
        ],
        "fidelity": list(inspection.violations),
        "unmet": list(inspection.unmet),
        "unread_tables": list(inspection.unread_tables),
        "books_without_records": list(inspection.unread),
        "tables": [asdict(table) for table in inspection.densities],
        "guards": [asdict(guard) for guard in inspection.guards],
    }


def _print(inspection: Inspection, *, density: bool, shown: int | None) -> None:
    from pipeline.lint.guarding import guards_in_words, unguarded_lines, why_none_is_guarded
    from retrieval.ingest.guard_report import count_guards

    for finding in inspection.findings:
        out.print(f"{finding.severity}: {finding.rule}: {inspection.titles[finding.id]}")
        out.print(f"  {finding.message}  {finding.id}")
    for sentence in inspection.violations:
        out.print(f"error: fidelity: {sentence}")
    sentences = (*inspection.unmet, *inspection.unread_tables)
    for sentence in sentences:
        out.print(f"warning: {sentence}")
    for slug in inspection.unread:
        out.print(f"{slug}: its records are not from this snapshot; rebuild it to compare them")
    for line in unguarded_lines(inspection.guards, shown):
        out.print(line)
    if density:
        _print_densities(inspection)
    else:
        out.print(_crowded(inspection))
    if inspection.guards:
        out.print(guards_in_words(count_guards(inspection.guards)))
    if not inspection.n_guarded:
        out.print(why_none_is_guarded(len(inspection.densities)))
    warnings = len(inspection.findings) + len(inspection.violations) + len(sentences) - inspection.n_errors
    out.print(
        f"snapshot {inspection.snapshot}: {inspection.n_chunks} chunks, {inspection.n_guarded} guarded; "
        f"{inspection.n_errors} errors, {warnings} warnings"
    )


def _crowded(inspection: Inspection) -> str:
    crowded = sum(table.density >= CROWDED for table in inspection.densities)
    tables = counted(len(inspection.densities), "table")
    return f"{crowded:,} of {tables} have a near-duplicate density of {CROWDED} or more" + (
        "; querymust lint --density lists them" if crowded else ""
    )


def _print_densities(inspection: Inspection) -> None:
    crowded = [table for table in inspection.densities if table.density >= CROWDED]
    if crowded:
        out.print("density   rows  guarded  table")
    for table in crowded:
        numbers = f"{table.density:>7.2f} {table.rows:>6} {table.guarded:>8}"
        out.print(f"{numbers}  {table.book}: {table.title}")
    out.print(f"{len(inspection.densities) - len(crowded)} tables have a near-duplicate density below {CROWDED}")

"""All of a row asked of a model: its title, its words, its names and its condition."""

import json
from dataclasses import dataclass, field

from retrieval.ingest.model_tables.asked_table import AnsweredTable
from retrieval.ingest.model_tables.checking import Dropped, judged
from retrieval.ingest.model_tables.model_rows import model_rows
from retrieval.ingest.model_tables.offline import OfflineTables
from retrieval.ingest.model_tables.request import prompt_version, request_of
from retrieval.ingest.tables.reading import Reading
from retrieval.ingest.tables.table import Table
from retrieval.models.chat import Answered
from retrieval.models.inquiry import Inquiry


@dataclass(frozen=True, slots=True)
class WholeRows:
    """The question about a table for which `prompt_v1.txt` of this room is."""

    prompt: str = field(default_factory=prompt_version)

    def inquiry(self, table: Table, reading: Reading, model: str) -> Inquiry:
        """The request about a table that can be sent."""
        request = request_of(table, reading)
        return Inquiry(request.key, request.asked(model))

    def answer(self, table: Table, answered: Answered, offline: OfflineTables) -> AnsweredTable:
        """The rows in the words of an answer that holds."""
        reading, rows = offline.readings[table.id], offline.rows[table.id]
        found = judged(
            table,
            reading,
            {row.ordinal: row for row in rows},
            answered,
            offline.vocabulary,
            by_key_alone=not offline.strict.subjects.get(table.id),
        )
        if found.problems:
            return AnsweredTable(problems=found.problems)
        strict = table.id in offline.strict.labels
        made = model_rows(table, reading, rows, found, offline.vocabulary, strict=strict)
        retitled = tuple(
            Dropped(table.id, row.ordinal, "title", f"{said.title!r:.100} does not meet the row's condition")
            for row in made
            if (said := found.rows.get(row.ordinal)) and json.loads(row.content)["title"] != said.title
        )
        return AnsweredTable(made, dropped=(*found.dropped, *retitled))

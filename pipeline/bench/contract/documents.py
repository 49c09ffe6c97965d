"""The hundred documents of the contract's own performance case."""

from uuid import UUID

from retrieval.rag.contract import RuleDocument

QUESTION = "test"
"""What the case asks."""


def hundred_documents() -> list[RuleDocument]:
    """Documents of one short section each."""
    return [
        RuleDocument(
            document_id=UUID(int=number),
            filename=f"doc-{number}.md",
            content=f"# Document {number}\n\n## Rule {number}\n\nThe test of rule {number} needs {number} dice.\n",
            metadata={"source": "Many", "doc_type": "core-rules", "last_update_date": "2026-01-01"},
        )
        for number in range(100)
    ]

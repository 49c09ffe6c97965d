"""Every place asked about, every answer checked; what was paid for is kept and never asked for again."""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.asked_by_model.believing import Disbelieved, believed
from evals.asked_by_model.form import ModelQuestions
from evals.asked_by_model.place import AskedPlace
from evals.generation.document_questions import DocumentQuestions, by_document
from evals.questions.questions import Question
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.models.bill import Bill
from retrieval.models.inquiries import Inquiries
from retrieval.models.inquiry import in_form
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote."""

    documents: tuple[DocumentQuestions, ...]
    disbelieved: tuple[Disbelieved, ...]
    left: tuple[str, ...]
    """Why places have no answer, a clause for each."""
    bill: Bill

    @property
    def n_questions(self) -> int:
        """Of all documents."""
        return sum(len(each.questions) for each in self.documents)


IS_USABLE = in_form(ModelQuestions)
"""Whether an answer is whole and in the form."""


def ask_about(places: Sequence[AskedPlace], snapshot: Snapshot, inquiries: Inquiries) -> Written:
    """Questions about places, by document. A question that two places got is nobody's.

    Raises:
        ModelKeyError: there is no key and not every place was answered before, or the server refuses it.
    """
    replies = inquiries.ask([place.inquiry(inquiries.model) for place in places], IS_USABLE)
    found: list[tuple[Chunk, Question]] = []
    against: list[Disbelieved] = []
    left: list[str] = []
    for place, reply in zip(places, replies, strict=True):
        answer = reply.answered.read_as(ModelQuestions) if reply.answered else reply.why
        if isinstance(answer, str):
            left.append(reply.why or answer)
            continue
        for given in answer.questions:
            made = believed(given, place, snapshot)
            if isinstance(made, Disbelieved):
                against.append(made)
            else:
                found.append(made)
    documents, twice = by_document(found)
    against += [Disbelieved(question.query, "two places got it") for question in twice]
    return Written(documents, tuple(against), tuple(left), inquiries.bill)

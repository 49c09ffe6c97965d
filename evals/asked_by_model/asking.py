"""Every place asked about, every answer checked; what was paid for is kept and never asked for again."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.asked_by_model.believing import Disbelieved, believed
from evals.asked_by_model.form import ModelQuestions
from evals.asked_by_model.place import AskedPlace
from evals.generation.generation import DocumentQuestions
from evals.questions.chunk_places import folded
from evals.questions.questions import Question
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.models.chat import Answered, Usage
from retrieval.models.inquiries import Inquiries
from retrieval.types import Chunk


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote."""

    documents: tuple[DocumentQuestions, ...]
    disbelieved: tuple[Disbelieved, ...]
    left: tuple[str, ...]
    """Why places have no answer, a clause for each."""
    used: Usage
    usd: float | None
    """Of this run; None: nobody knows the price."""

    @property
    def n_questions(self) -> int:
        """Of all documents."""
        return sum(len(each.questions) for each in self.documents)


def is_usable(answered: Answered) -> bool:
    """Whether an answer is whole and in the form."""
    return answered.in_form(ModelQuestions) is not None


def ask_about(places: Sequence[AskedPlace], snapshot: Snapshot, inquiries: Inquiries) -> Written:
    """Questions about places, by document. A question that two places got is nobody's.

    Raises:
        ModelKeyError: there is no key and not every place was answered before, or the server refuses it.
    """
    replies = inquiries.ask([place.inquiry(inquiries.model) for place in places], is_usable)
    found: list[tuple[Chunk, Question]] = []
    against: list[Disbelieved] = []
    left: list[str] = []
    for place, reply in zip(places, replies, strict=True):
        answer = reply.answered.in_form(ModelQuestions) if reply.answered else None
        if answer is None:
            left.append(reply.why or "its answer cannot be used")
            continue
        for given in answer.questions:
            made = believed(given, place, snapshot)
            if isinstance(made, Disbelieved):
                against.append(made)
            else:
                found.append(made)
    meant = Counter(folded(question.query) for _, question in found)
    twice = [question for _, question in found if meant[folded(question.query)] > 1]
    against += [Disbelieved(question.query, "two places got it") for question in twice]
    once = [(chunk, question) for chunk, question in found if meant[folded(question.query)] == 1]
    return Written(_by_document(once), tuple(against), tuple(left), inquiries.used, inquiries.usd)


def _by_document(found: Iterable[tuple[Chunk, Question]]) -> tuple[DocumentQuestions, ...]:
    documents: dict[tuple[str, str], list[Question]] = {}
    for chunk, question in found:
        documents.setdefault((chunk.book, chunk.document), []).append(question)
    return tuple(DocumentQuestions(*place, tuple(questions)) for place, questions in sorted(documents.items()))

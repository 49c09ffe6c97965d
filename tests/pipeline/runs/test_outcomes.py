from pipeline.runs.outcomes import Build, Problem


def test_what_all_books_fail_for_is_said_once() -> None:
    failed = [Problem("embeddings", "no weights"), Problem("chunks", "no text"), Problem("embeddings", "no weights")]
    assert Build(problems=failed).sentences == ("embeddings: no weights", "chunks: no text")

import json

from retrieval.answer.answerer import Answerer
from retrieval.answer.json_record import event_record
from retrieval.home import Home


def test_events_are_json_values_by_the_names_of_their_fields(sample: Home) -> None:
    answerer = Answerer(sample.root, how="read")
    records = [event_record(event) for event in answerer.answer("What does a 7th level cleric need to hit AC 6?")]
    answerer.close()
    assert json.loads(json.dumps(records))[0] == {"event": "search", "data": "Searching the books..."}
    (context,) = (record for record in records if record["event"] == "context")
    assert context["passages"][0]["number"] == 1
    assert 0 < context["passages"][0]["relevance"] <= 1
    assert records[-1]["answer"]["citations"][0]["chunk_id"] == context["passages"][0]["chunk_id"]

// The evaluation: what the index is worth on its test questions, and what came first where it failed.
import { askOf, button, copy, counted, feedback, get, link, make, placeOf } from "./parts.js";

export async function showScores(root, signal) {
  const scores = await get("/v1/evaluation", signal);
  if (signal.aborted) return;
  if (!scores) {
    root.replaceChildren(...unscored());
    return;
  }
  const failed = scores.questions.filter((each) => each.gold.length && each.gold_rank !== 1);
  root.replaceChildren(
    make("h1", "Evaluation"),
    make("p", ["The strategy ", make("b", scores.strategy), ` on ${counted(scores.questions.length, "test question")}. `, make("code", "querymust report"), " compares all strategies."], { class: "quiet" }),
    make("ul", scores.cards.map((card) => make("li", [make("h2", card.title), make("p", card.value, { class: "value" }), make("p", card.about, { class: "quiet" })])), { class: "cards" }),
    make("section", [
      make("h2", failed.length ? "Questions that fail" : "No question fails"),
      make("p", "Your opinion is stored as feedback. It changes nothing by itself: querymust feedback turns it into test questions and proposals.", { class: "quiet" }),
      ...failed.map(failure),
    ]),
  );
}

const EXAMPLE = [
  { id: "fee", query: "What is the fee of berth 2?", book: "harbour", gold: [{ caption: "Berths", row_key: "2" }] },
  { id: "pilot", query: "Which ships need a pilot?", book: "harbour", gold: [{ snippet: "A ship of more than 40 m takes a pilot." }] },
  { id: "nothing", query: "How far does a flintlock pistol shoot?", gold: [] },
];

// What an evaluation is, and how to get one.
function unscored() {
  const lines = EXAMPLE.map((question) => JSON.stringify(question).replaceAll('":', '": ').replaceAll(',"', ', "')).join("\n");
  const told = make("span", "", { class: "quiet", role: "status" }), code = (text) => make("code", text);
  return [
    make("h1", "Evaluation"),
    make("p", "This index was not scored: it has no test questions yet."),
    make("p", "An evaluation asks the index questions whose answer you know, and counts how often the right row or passage comes first. It shows what fails, and whether a change of the books or the settings makes the search better or worse."),
    make("section", [
      make("h2", "Score this index"),
      make("ol", [
        make("li", [
          "Write your questions to a file ", code("questions.jsonl"), ", each on a line of its own:",
          make("pre", code(lines), { tabindex: 0, role: "group", "aria-label": "Example of a file of questions" }),
          make("p", [button("Copy the example", () => copy(lines, told), { class: "small" }), " ", told]),
          make("p", [code("gold"), " is the place that answers: a row by the caption of its table and its key, or a sentence by its text. It is empty for what the books do not say. ", code("book"), " is the name of a book on the page “Books”."]),
        ]),
        make("li", ["Check that the places are found: ", make("pre", code("querymust questions check questions.jsonl"), { tabindex: 0 })]),
        make("li", ["Score: ", make("pre", code("querymust build --library DIR \\\n  --questions questions.jsonl"), { tabindex: 0 }), "From then on every build is scored, and this page shows the newest scores."]),
      ]),
      make("p", ["All fields are described in the documentation of querymust, on the page “Test questions” (", code("docs/reference/questions.md"), ")."], { class: "quiet" }),
    ]),
  ];
}

function failure(each) {
  const named = (chunk) => link(chunk.title, placeOf(chunk, chunk.id));
  const entry = (name, content) => [make("dt", name), make("dd", content)];
  return make("details", [
    make("summary", [each.query, make("span", each.gold_rank ? ` – the right one is at rank ${each.gold_rank}` : " – the right one is not in the results", { class: "quiet" })]),
    make("dl", [
      ...entry("Expected", each.gold.flatMap((chunk) => [named(chunk), make("br")])),
      ...(each.first ? entry("Came first", [named(each.first), feedback(each.query, each.first.id)]) : []),
      ...entry("Why", each.why.join("; ") || "it was ranked lower"),
    ]),
    make("p", link("Ask it", askOf(each.query))),
  ], { class: "block" });
}

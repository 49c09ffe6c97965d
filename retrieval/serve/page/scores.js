// The evaluation: what the index is worth on its test questions, and what came first where it failed.
import { askOf, counted, feedback, get, link, make, placeOf } from "./parts.js";

export async function showScores(root, signal) {
  const scores = await get("/v1/evaluation", signal);
  if (signal.aborted) return;
  if (!scores) {
    root.replaceChildren(make("h1", "Evaluation"), make("p", ["This index was not scored. Run ", make("code", "querymust eval"), " with a file of questions."]));
    return;
  }
  const failed = scores.questions.filter((each) => each.gold.length && each.gold_rank !== 1);
  root.replaceChildren(
    make("h1", "Evaluation"),
    make("p", ["The strategy ", make("b", scores.strategy), ` on ${counted(scores.questions.length, "test question")}. `, make("code", "querymust report"), " compares all strategies."], { class: "quiet" }),
    make("ul", scores.cards.map((card) => make("li", [make("h2", card.title), make("p", card.value, { class: "value" }), make("p", card.about, { class: "quiet" })])), { class: "cards" }),
    make("section", [
      make("h2", failed.length ? "Questions that fail" : "No question fails"),
      make("p", "What you say here is kept as feedback. It changes nothing by itself: querymust feedback makes test questions and proposals of it.", { class: "quiet" }),
      ...failed.map(failure),
    ]),
  );
}

function failure(each) {
  const named = (chunk) => link(chunk.title, placeOf(chunk, chunk.id));
  const entry = (name, content) => [make("dt", name), make("dd", content)];
  return make("details", [
    make("summary", [each.query, make("span", each.gold_rank ? ` – the right one comes at ${each.gold_rank}` : " – the right one does not come", { class: "quiet" })]),
    make("dl", [
      ...entry("Should come", each.gold.flatMap((chunk) => [named(chunk), make("br")])),
      ...(each.first ? entry("Came first", [named(each.first), feedback(each.query, each.first.id)]) : []),
      ...entry("Why", each.why.join("; ") || "it was ranked lower"),
    ]),
    make("p", link("Ask it", askOf(each.query))),
  ], { class: "block" });
}

// The answer: heard piece by piece, then with its values, its sources and their hits marked.
import { mark } from "./hits.js";
import { at, complain, make, send } from "./parts.js";

const NOTHING = "The nearest passages are below; none answers surely.";

export async function listen(query, signal, isOld) {
  at("answer").hidden = false;
  const response = await send("v1/query", { query }, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done || isOld()) return;
    const blocks = (rest + value.replaceAll("\r\n", "\n")).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("");
      if (data) hear(JSON.parse(data));
    }
  }
}

function hear(event) {
  if (event.event === "token") at("text").append(event.data);
  else if (event.event === "error") complain(event.data);
  else if (event.event === "complete") finish(event.answer);
  else if (event.event === "context" && !event.passages) [at("step").textContent, at("step").title] = [NOTHING, event.data];
  else at("step").textContent = event.data;
}

function finish(answer) {
  at("step").textContent = { read: "", generated: `Worded by ${answer.model}.`, none: at("step").textContent }[answer.mode];
  at("doubts").hidden = !answer.doubts.length;
  at("doubts").replaceChildren(...answer.doubts.map((each) => make("li", `${each} stands in no passage; look it up`)));
  for (const each of answer.citations) {
    for (const box of document.querySelectorAll(`[data-chunk="${CSS.escape(each.chunk_id)}"]`)) {
      mark(box, answer.cells.filter((cell) => cell.chunk_id === each.chunk_id));
    }
  }
  at("text").replaceChildren(...worded(answer));
}

function worded(answer) {
  const cited = new Map(answer.citations.map((each) => [`[${each.number}]`, each]));
  const pieces = answer.text.split(/(\[\d+\])/);
  return pieces.flatMap((piece, place) => {
    const source = cited.get(piece);
    if (source) return linked(piece, source);
    const next = cited.get(pieces[place + 1]);
    return stressed(piece, next ? answer.cells.filter((cell) => cell.column && cell.chunk_id === next.chunk_id) : []);
  });
}

function linked(number, source) {
  const side = ["on", "off"].find((each) => at(`${each}-${source.chunk_id}`));
  const link = make(side ? "a" : "span", number);
  if (side) link.href = `#${side}-${source.chunk_id}`;
  else link.title = "not among the hits that are shown";
  return [link, make("span", ` ${source.document}:${source.lines[0]}`, "file")];
}

// The text with the values of these cells emphasised; each stands behind its column, the last first.
function stressed(text, cells) {
  const nodes = [];
  for (const cell of cells.toReversed()) {
    const found = text.lastIndexOf(`${cell.column}: ${cell.text}`);
    if (found < 0) continue;
    const start = found + cell.column.length + 2;
    nodes.unshift(make("strong", cell.text), text.slice(start + cell.text.length));
    text = text.slice(0, start);
  }
  return [text, ...nodes];
}

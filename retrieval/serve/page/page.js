"use strict";
const at = (id) => document.getElementById(id);
const make = (tag, content, className) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const each of [content ?? ""].flat()) node.append(each);
  return node;
};
const SHOWN = 7; // columns of a row that are shown at once
let turn = 0; // answers of an earlier question are dropped
let going = null;

const headers = () => {
  const key = at("key").value || sessionStorage.getItem("key") || "";
  return { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
};

const complain = (sentence) => {
  at("problem").textContent = sentence;
  at("problem").hidden = !sentence;
};

async function send(path, body, signal) {
  const response = await fetch(path, body ? { method: "POST", headers: headers(), body: JSON.stringify(body), signal } : { headers: headers(), signal });
  if (response.ok) return response;
  if (response.status === 401) at("key-label").hidden = false;
  const told = await response.json().catch(() => null);
  throw new Error(told?.error?.message ?? `the server answered ${response.status}`);
}

async function begin() {
  try {
    const status = await (await send("v1/status")).json();
    for (const name of status.strategies) at("strategy").append(new Option(name, name, name === "default"));
    at("library").textContent = status.live ? `${status.n_chunks.toLocaleString("en")} chunks, index ${status.live}` : "nothing is live: build an index first";
  } catch (error) {
    complain(error.message);
  }
  read();
}

function read() {
  const asked = new URLSearchParams(location.search);
  if (asked.get("strategy")) at("strategy").value = asked.get("strategy");
  if (asked.get("k")) at("k").value = asked.get("k");
  at("question").value = asked.get("q") ?? "";
  if (at("question").value) ask();
}

async function ask() {
  const mine = ++turn;
  going?.abort();
  going = new AbortController();
  complain("");
  const query = at("question").value, strategy = at("strategy").value || "default", k = Number(at("k").value) || 8;
  document.title = `${query} - querymust`;
  for (const id of ["off", "on", "text", "doubts", "step"]) at(id).replaceChildren();
  at("doubts").hidden = true;
  try {
    const body = { query, strategy, k };
    const [off, on] = await Promise.all([{ ...body, query_must: false }, body].map(async (each) => (await send("v1/retrieve", each, going.signal)).json()));
    if (mine !== turn) return;
    show(query, off, on);
    await listen(query, mine);
  } catch (error) {
    if (error.name !== "AbortError" && mine === turn) complain(error.message);
  }
}

function show(query, off, on) {
  at("found").hidden = false;
  const kept = new Set(on.hits.map((hit) => hit.id));
  const reasons = new Map(on.receipt.decisions.filter((each) => !each.kept).map((each) => [each.chunk_id, each.reason]));
  const gone = off.hits.filter((hit) => reasons.has(hit.id) && !kept.has(hit.id));
  at("summary").textContent = gone.length
    ? `The filter keeps ${gone.length} of the first ${off.hits.length} out.`
    : "The filter keeps nothing of the first hits out.";
  at("off").append(...off.hits.map((hit) => card(query, hit, "off", kept.has(hit.id) ? null : reasons.get(hit.id))));
  at("on").append(...on.hits.map((hit) => card(query, hit, "on", null)));
  const whole = on.receipt.milliseconds;
  at("time").replaceChildren(...on.receipt.stages.map((stage) => {
    const piece = make("span");
    piece.style.width = `${(100 * stage.milliseconds) / whole}%`;
    piece.title = `${stage.name} ${stage.milliseconds.toFixed(1)} ms`;
    return piece;
  }));
  const told = on.receipt.stages.map((stage) => `${stage.name} ${stage.milliseconds.toFixed(1)}`).join(", ");
  at("legend").textContent = `${whole.toFixed(0)} ms: ${told}`;
  at("time").setAttribute("aria-label", at("legend").textContent);
}

function card(query, hit, side, reason) {
  const place = `${hit.book}/${hit.document}:${hit.lines[0]}`;
  const box = make("li", [make("h3", `${hit.rank}. ${hit.title}`)], reason ? "hit out" : "hit");
  box.id = `${side}-${hit.id}`;
  box.dataset.chunk = hit.id;
  if (reason) box.append(make("p", `kept out: ${reason}`, "reason"));
  box.append(hit.cells.length ? row(hit) : make("div", hit.text, "prose"));
  box.append(make("p", `${hit.score.toFixed(3)} · ${hit.kind} · ${place}`, "place"), sum(hit));
  if (side === "on") box.append(say(query, hit));
  return box;
}

function row(hit, read = []) {
  const all = hit.columns.map((_, place) => place);
  const key = Math.max(0, hit.cells.indexOf(hit.row_key));
  const first = [...new Set([key, ...read, ...all])].slice(0, SHOWN).sort((a, b) => a - b);
  const box = make("div", table(hit, first, read), "cells");
  if (all.length > first.length) box.append(make("details", [make("summary", `all ${all.length} columns`), table(hit, all, read)]));
  return box;
}

function table(hit, places, read) {
  const cell = (tag, text, place) => make(tag, text, read.includes(place) ? "read" : "");
  const head = make("tr", places.map((place) => cell("th", hit.columns[place], place)));
  const body = make("tr", places.map((place) => cell("td", hit.cells[place], place)));
  return make("div", make("table", [head, body]), "scroll");
}

function sum(hit) {
  const number = (value) => value.toFixed(3);
  const rows = hit.addends.filter((each) => each.contribution).map((each) => make("tr", [make("td", each.name), make("td", `${number(each.value)} × ${number(each.weight)}`), make("td", number(each.contribution))]));
  rows.push(make("tr", [make("td", "score"), make("td"), make("td", number(hit.score))]));
  return make("details", [make("summary", "what the score is the sum of"), make("table", rows, "sum")]);
}

function say(query, hit) {
  const buttons = [["relevant", "This is the one"], ["irrelevant", "Does not belong here"]].map(([verdict, label]) => {
    const button = make("button", label);
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await send("v1/feedback", { query, chunk_id: hit.id, verdict });
        button.parentElement.replaceChildren("Kept, thank you.");
      } catch (error) {
        complain(error.message);
      }
    });
    return button;
  });
  return make("div", buttons, "say");
}

async function listen(query, mine) {
  at("answer").hidden = false;
  const response = await send("v1/query", { query }, going.signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let passages = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done || mine !== turn) return;
    const blocks = (rest + value.replaceAll("\r\n", "\n")).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("");
      if (data) passages = hear(JSON.parse(data), passages);
    }
  }
}

function hear(event, passages) {
  if (event.event === "token") at("text").append(event.data);
  else if (event.event === "error") complain(event.data);
  else if (event.event === "complete") finish(event.answer, passages);
  else at("step").textContent = event.data;
  return event.passages ?? passages;
}

function finish(answer, passages) {
  at("text").replaceChildren(...linked(answer.text, new Map(passages.map((each) => [each.number, each.chunk_id]))));
  at("step").textContent = { read: "Read from the books.", generated: `Worded by ${answer.model}.`, none: at("step").textContent }[answer.mode];
  at("doubts").hidden = !answer.doubts.length;
  at("doubts").replaceChildren(...answer.doubts.map((each) => make("li", `${each} stands in no passage; look it up`)));
  for (const each of answer.citations) {
    for (const box of document.querySelectorAll(`[data-chunk="${CSS.escape(each.chunk_id)}"]`)) {
      box.classList.add("cited");
      mark(box, answer.cells.filter((cell) => cell.chunk_id === each.chunk_id));
    }
  }
}

function mark(box, cells) {
  const prose = box.querySelector(".prose");
  for (const cell of cells.filter((each) => prose && prose.textContent.includes(each.text))) {
    const [before, ...after] = prose.textContent.split(cell.text);
    prose.replaceChildren(before, make("mark", cell.text), after.join(cell.text));
    return;
  }
  let shown = false;
  const wanted = new Map(cells.map((cell) => [cell.column, cell.text]));
  for (const tables of box.querySelectorAll(".cells table")) {
    const [head, body] = tables.rows;
    [...head.cells].forEach((name, place) => {
      const read = wanted.get(name.textContent) === body.cells[place].textContent;
      for (const each of read ? [name, body.cells[place]] : []) each.classList.add("read");
      if (read && !tables.closest("details")) shown = true;
      if (read && !shown) tables.closest("details").open = true;
    });
  }
}

function linked(text, chunks) {
  return text.split(/(\[\d+\])/).map((piece) => {
    const chunk = /^\[\d+\]$/.test(piece) ? chunks.get(Number(piece.slice(1, -1))) : null;
    if (!chunk) return piece;
    const link = make("a", piece);
    link.href = `#on-${chunk}`;
    return link;
  });
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (at("key").value) sessionStorage.setItem("key", at("key").value);
  const asked = new URLSearchParams({ q: at("question").value, strategy: at("strategy").value || "default", k: at("k").value });
  history.pushState(null, "", `?${asked}`);
  ask();
});
addEventListener("popstate", read);
begin();

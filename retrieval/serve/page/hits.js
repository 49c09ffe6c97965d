// A hit as a card: its cells or its words, its score, and what a person says of it.
import { complain, make, send } from "./parts.js";

const SHOWN = 7; // columns of a row that are shown at once
const LONG = 360; // characters of prose that are shown at once
const verdicts = new Map(); // what was said on this page, by question and chunk

export function card(query, hit, side) {
  const place = `${hit.book}/${hit.document}:${hit.lines[0]}`;
  const out = side === "off" && hit.kept_out;
  const box = make("li", [make("h3", `${hit.rank}. ${hit.title}`)], out ? "hit out" : "hit");
  box.id = `${side}-${hit.id}`;
  box.dataset.chunk = hit.id;
  box.tabIndex = -1;
  if (out) box.append(make("p", hit.kept_out, "reason"));
  box.append(hit.cells.length ? row(hit) : prose(hit.text));
  box.append(make("p", `relevance ${hit.relevance.toFixed(2)} · ${hit.kind} · ${place}`, "place"), sum(hit));
  if (side === "on") box.append(say(query, hit));
  return box;
}

function row(hit) {
  const all = hit.columns.map((_, place) => place);
  const key = Math.max(0, hit.cells.indexOf(hit.row_key));
  const first = [...new Set([key, ...all])].slice(0, SHOWN).sort((a, b) => a - b);
  const box = make("div", table(hit, first), "cells");
  if (all.length === first.length) return box;
  const whole = make("details", [make("summary", `all ${all.length} columns`), ...table(hit, all)]);
  whole.addEventListener("toggle", () => fit(whole));
  box.append(whole);
  return box;
}

function table(hit, places) {
  const head = make("tr", places.map((place) => make("th", hit.columns[place])));
  const body = make("tr", places.map((place) => make("td", hit.cells[place])));
  return [make("div", make("table", [head, body]), "scroll"), make("p", "↔ scroll sideways for the other columns", "hint")];
}

// A table that is wider than the screen says so, and shows the cell that answers.
export function fit(root) {
  for (const scroller of root.querySelectorAll(".scroll")) {
    const wide = scroller.scrollWidth > scroller.clientWidth + 1;
    scroller.classList.toggle("wide", wide);
    if (wide) scroller.tabIndex = 0;
    else scroller.removeAttribute("tabindex");
    const cell = scroller.querySelector("td.read");
    if (cell && wide) scroller.scrollLeft = cell.offsetLeft - (scroller.clientWidth - cell.offsetWidth) / 2;
  }
}

function prose(text) {
  const cut = text.length > 1.2 * LONG ? text.slice(0, LONG).replace(/\s+\S*$/, "") : text;
  if (cut === text) return make("div", make("div", text, "prose"));
  const [short, whole, button] = [make("div", `${cut} …`, "prose"), make("div", text, "prose"), make("button", "more", "more")];
  const turn = (open) => {
    [short.hidden, whole.hidden] = [open, !open];
    button.textContent = open ? "less" : "more";
    button.setAttribute("aria-expanded", open);
  };
  button.type = "button";
  button.addEventListener("click", () => turn(whole.hidden));
  turn(false);
  return make("div", [short, whole, button]);
}

function sum(hit) {
  const number = (value) => value.toFixed(3);
  const rows = hit.addends.filter((each) => each.contribution).map((each) => make("tr", [make("td", each.name), make("td", `${number(each.value)} × ${number(each.weight)}`), make("td", number(each.contribution))]));
  rows.push(make("tr", [make("td", "score"), make("td"), make("td", number(hit.score))]));
  return make("details", [make("summary", "what the score is the sum of"), make("table", rows, "sum")]);
}

function say(query, hit) {
  const about = `${hit.id} ${query}`;
  const told = make("span", "", "quiet");
  told.setAttribute("role", "status");
  const buttons = [["relevant", "This is the one"], ["irrelevant", "Does not belong here"]].map(([verdict, label]) => {
    const button = make("button", label);
    button.type = "button";
    button.dataset.verdict = verdict;
    button.addEventListener("click", async () => {
      if (verdicts.get(about) === verdict) return;
      try {
        await send("v1/feedback", { query, chunk_id: hit.id, verdict });
        verdicts.set(about, verdict);
        press();
        told.textContent = "Kept, thank you.";
      } catch (error) {
        complain(error.message);
      }
    });
    return button;
  });
  const press = () => buttons.forEach((each) => each.setAttribute("aria-pressed", verdicts.get(about) === each.dataset.verdict));
  press();
  return make("div", [...buttons, told], "say");
}

// Marks what an answer was read from.
export function mark(box, cells) {
  box.classList.add("cited");
  for (const each of box.querySelectorAll(".prose")) {
    const cell = cells.find((one) => each.textContent.includes(one.text));
    if (!cell) continue;
    const [before, ...after] = each.textContent.split(cell.text);
    each.replaceChildren(before, make("mark", cell.text), after.join(cell.text));
  }
  if (box.querySelector(".prose[hidden] mark") && !box.querySelector(".prose:not([hidden]) mark")) box.querySelector(".more").click();
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
  fit(box);
}

// What was found: one list, rows of one table together, each with its relevance.
import { button, complain, counted, feedback, fit, get, link, make, placeOf, record, rendered, send, table } from "./parts.js";

const LONG = 700; // characters of a passage that are shown at once

export async function showHits(root, signal, search) {
  const asked = (filtered) => send("/v1/retrieve", signal, { query: search.query, strategy: search.strategy, k: search.k, min_relevance: 0, query_must: filtered, rendered: true }).then((each) => each.json());
  const found = await asked(true);
  if (signal.aborted) return found;
  const list = make("ol", "", { class: "hits" }), summary = make("p", "", { class: "quiet", role: "status" });
  const slider = make("input", "", { type: "range", min: 0, max: 1, step: 0.05, value: search.least, id: "least" });
  const shown = make("output", "", { for: "least" });
  const compare = make("input", "", { type: "checkbox", role: "switch", id: "compare", checked: search.hasFilter && search.isCompared ? "" : null });
  let without = null; // what comes back with the filter off, once it was asked for
  const draw = () => {
    const isCompared = compare.checked && without !== null, hits = isCompared ? merged(found.hits, without.hits) : found.hits;
    const least = Number(slider.value), kept = hits.filter((hit) => (hit.relevance ?? 0) >= least);
    shown.textContent = least.toFixed(2);
    list.replaceChildren(...grouped(kept).map((group) => card(search.query, group, signal)));
    summary.textContent = told(hits, kept, isCompared, without, list.children.length);
    fit(list);
  };
  const fetchOff = async () => (without ??= compare.checked ? await asked(false) : null);
  slider.addEventListener("input", draw);
  slider.addEventListener("change", () => keepInAddress("least", Number(slider.value) ? slider.value : ""));
  compare.addEventListener("change", () => {
    keepInAddress("compare", compare.checked ? "1" : "");
    fetchOff().then(draw, (error) => {
      compare.checked = false;
      keepInAddress("compare", "");
      complain(error.message);
    });
  });
  const tools = [make("label", ["Relevance at least ", slider, " ", shown])];
  if (search.hasFilter) tools.push(make("label", [compare, " Show near-duplicates that were left out"]));
  root.replaceChildren(make("section", [make("h2", "What was found"), make("div", tools, { class: "tools" }), summary, list], { id: "found" }));
  await fetchOff();
  draw();
  return found;
}

function keepInAddress(name, value) {
  const given = new URLSearchParams(location.search);
  value ? given.set(name, value) : given.delete(name);
  history.replaceState(null, "", `?${given}`);
}

// The list with the filter off, what the filter keeps out marked; then what took the places of that.
function merged(on, off) {
  const known = new Set(off.map((hit) => hit.id));
  return [...off, ...on.filter((hit) => !known.has(hit.id)).map((hit) => ({ ...hit, movedUp: true }))];
}

function told(hits, kept, isCompared, without, places) {
  const joined = places < kept.length ? `, rows of one table together` : "";
  const cut = kept.length < hits.length ? `${kept.length} of ${counted(hits.length, "hit")} are this relevant${joined}. ` : "";
  if (!isCompared) return cut || `${counted(hits.length, "hit")}, the best first${joined}.`;
  const out = without.hits.filter((hit) => hit.kept_out).length;
  return cut + (out ? `${out} of the first ${counted(without.hits.length, "hit")} answer other questions and were left out; they are struck out here.` : "Nothing was left out: none of the first hits is a row for another question.");
}

// Hits of one table in one group, at the place of the first.
function grouped(hits) {
  const groups = new Map();
  for (const hit of hits) {
    const key = hit.rendered.table_id ? `${hit.rendered.table_id} ${Boolean(hit.kept_out)}` : hit.id;
    groups.set(key, [...(groups.get(key) ?? []), hit]);
  }
  return [...groups.values()];
}

function card(query, group, signal) {
  const [hit] = group, isRecord = hit.kind === "record", isOut = Boolean(hit.kept_out);
  const title = group.length > 1 ? hit.rendered.table : hit.title;
  const heading = make("h3", link(title, placeOf(hit, hit.id)));
  const box = make("li", [make("div", [heading, relevance(hit)], { class: "top" })], { class: isOut ? "hit out" : "hit" });
  if (isOut) box.append(...reasons(group));
  if (hit.movedUp) box.append(make("p", "Moved up, because others are excluded.", { class: "quiet" }));
  if (isRecord) box.append(record(hit.rendered.columns, { id: hit.id, cells: hit.rendered.cells }));
  else box.append(...(hit.cells.length ? rows(group, signal) : [passage(hit)]));
  const missing = group.length === 1 && hit.rendered.missing.length ? ` · does not say ${hit.rendered.missing.map((word) => `“${word}”`).join(", ")}` : "";
  box.append(make("p", [`${hit.book} › `, link(`${hit.document}, line\u00a0${hit.lines[0]}`, placeOf(hit, hit.id)), missing], { class: "quiet" }));
  if (!isOut) box.append(make("details", [make("summary", "Is this right?"), ...group.map((each) => feedback(query, each.id, group.length > 1 ? each.title : null))]));
  return box;
}

// Why the filter keeps rows out: the first reason, the others on a click.
function reasons(group) {
  const [first, ...rest] = [...new Set(group.map((each) => each.kept_out))].map((each) => make("p", each, { class: "reason" }));
  return rest.length ? [first, make("details", [make("summary", counted(rest.length, "more reason")), ...rest])] : [first];
}

function relevance(hit) {
  const value = hit.relevance ?? 0;
  return make("span", [make("meter", "", { min: 0, max: 1, value, "aria-label": "Relevance" }), make("span", value.toFixed(2))], { class: "relevance" });
}

function rows(group, signal) {
  const [hit] = group, own = new Set(group.map((each) => each.id));
  const brief = table(hit.rendered.columns, group.map((each) => ({ id: each.id, cells: each.rendered.cells })), { caption: hit.rendered.table });
  const beyond = hit.rendered.n_rows - group.length;
  if (beyond <= 0) return [brief];
  const more = button(counted(beyond, "more row"), async () => {
    const whole = await get(`/v1/tables/${hit.id}`, signal);
    const all = table(whole.columns, whole.rows, { caption: whole.title, extend: (line, row) => own.has(row.id) && line.classList.add("answers") });
    brief.replaceWith(all);
    more.replaceWith(link("Sort and filter this table", placeOf(hit, hit.id, whole.id)));
    all.focus();
  }, { class: "small" });
  return [brief, make("p", more)];
}

function passage(hit) {
  const text = rendered("div", hit.rendered.html, { class: "prose" });
  if (text.textContent.length < 1.3 * LONG) return text;
  text.classList.add("cut");
  const more = button("Show all of it", () => {
    const isCut = text.classList.toggle("cut");
    more.textContent = isCut ? "Show all of it" : "Show less";
    more.setAttribute("aria-expanded", !isCut);
  }, { class: "small", "aria-expanded": "false" });
  return make("div", [text, more]);
}

// The books: what there is, a document as it reads, a table that sorts and filters.
import { apiOf, askOf, button, complain, counted, get, link, make, placeOf, record, rendered, table } from "./parts.js";

const crumbs = (...steps) => make("nav", make("ol", steps.map((each) => make("li", each))), { class: "crumbs", "aria-label": "Place" });
const toBooks = () => link("Books", "/books");
const toBook = (book) => link(book, `/book/${encodeURIComponent(book)}`);

export async function showBooks(root, signal) {
  const books = await get("/v1/books", signal);
  if (signal.aborted) return;
  root.replaceChildren(make("h1", "Books"), make("ul", books.map((each) => make("li", [
    make("h2", link(each.title, `/book/${encodeURIComponent(each.book)}`)),
    make("p", `${each.title === each.book ? "" : `${each.book} · `}${counted(each.n_documents, "document")}, ${counted(each.n_chunks, "passage")} and rows`, { class: "quiet" }),
  ])), { class: "cards" }));
}

export async function showBook(root, signal, book) {
  const documents = await get(apiOf(book), signal);
  if (signal.aborted) return;
  const items = documents.map((each) => make("li", [
    link(each.title, placeOf({ book, document: each.document })),
    make("span", ` ${each.document}`, { class: "quiet" }),
    each.tables.length ? make("details", [
      make("summary", counted(each.tables.length, "table")),
      make("ul", each.tables.map((one) => make("li", [link(one.title, placeOf({ book, document: each.document }, null, one.id)), make("span", ` ${counted(one.n_rows, "row")}`, { class: "quiet" })]))),
    ]) : null,
  ]));
  root.replaceChildren(crumbs(toBooks(), book), make("h1", book), make("section", [
    filterBox("Find a document or table", items),
    make("ul", items, { class: "documents" }),
  ]));
}

// A box that hides what does not have its words.
function filterBox(label, items, told) {
  const box = make("input", "", { type: "search", "aria-label": label, placeholder: label, autocomplete: "off" });
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const each of items) each.hidden = !words.every((word) => each.textContent.toLowerCase().includes(word));
    if (told) told.textContent = counted(items.filter((each) => !each.hidden).length, "row");
  });
  return box;
}

export async function showDocument(root, signal, book, document, tableId) {
  if (tableId) {
    const whole = await get(`/v1/tables/${encodeURIComponent(tableId)}`, signal).catch(() => null);
    if (whole) return showTable(root, signal, whole);
    complain("The books have changed since this link was made: its table is not here any more.");
  }
  const blocks = await get(apiOf(book, document), signal);
  const wanted = decodeURIComponent(location.hash.slice(1));
  const isHere = blocks.some((each) => each.id === wanted || each.table?.rows.some((row) => row.id === wanted));
  const whole = wanted && !isHere ? await get(`/v1/tables/${encodeURIComponent(wanted)}`, signal).catch(() => null) : null;
  if (signal.aborted) return;
  const isOne = blocks[0]?.level === 1 && blocks.filter((each) => each.level === 1).length === 1;
  const [lead, ...rest] = isOne ? blocks : [{ heading: document }, ...blocks];
  root.replaceChildren(crumbs(toBooks(), toBook(book), document), make("article", [
    make("h1", lead.heading),
    ...contents(rest),
    ...rest.map((each) => (whole && each.id === whole.id ? tableBlock({ table: whole }) : block(each, isOne ? 0 : 1))),
  ]));
}

const anchor = ({ heading, level }) => `${level}-${heading.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")}`;

function contents(blocks) {
  const headings = blocks.filter((each) => each.heading && each.level <= 2);
  if (headings.length < 3) return [];
  return [make("details", [make("summary", "On this page"), make("ul", headings.map((each) => make("li", link(each.heading, `${location.pathname}#${encodeURIComponent(anchor(each))}`))))], { class: "contents" })];
}

function block(each, shift) {
  if (each.heading) return make(`h${Math.min(each.level + shift, 6)}`, each.heading, { id: anchor(each) });
  return each.table ? tableBlock(each) : rendered("div", each.html, { id: each.id, class: "prose" });
}

function tableBlock({ table: whole }) {
  if (whole.kind === "record") return make("div", record(whole.columns, whole.rows[0]), { id: whole.id });
  const beyond = whole.n_rows - whole.rows.length;
  const label = beyond ? `${counted(beyond, "more row")}: sort and filter` : "Sort and filter";
  return make("figure", [
    whole.title === whole.heading_path.at(-1) ? null : make("figcaption", whole.title),
    table(whole.columns, whole.rows, { caption: whole.title, extend: (line, row) => (line.id = row.id) }),
    make("p", link(label, placeOf(whole, null, whole.id), { class: "quiet", "aria-label": `${label}: ${whole.title}` })),
  ]);
}

async function showTable(root, signal, whole) {
  const scores = await get("/v1/evaluation", signal);
  if (signal.aborted) return;
  const told = make("p", counted(whole.rows.length, "row"), { class: "quiet", role: "status" });
  if (whole.rows.length < whole.n_rows) complain(`The table has ${counted(whole.n_rows, "row")}; these are ${whole.rows.length} of them.`);
  const shown = table(whole.columns, whole.rows, { caption: whole.title, extend: (line, row) => (line.id = row.id) });
  sortable(shown);
  root.replaceChildren(
    crumbs(toBooks(), toBook(whole.book), link(whole.document, placeOf(whole, whole.rows[0].id))),
    make("h1", whole.title),
    make("p", whole.heading_path.join(" › "), { class: "quiet" }),
    make("section", [filterBox("Filter the rows", [...shown.querySelectorAll("tbody tr")], told), told, shown]),
    conditions(whole),
    ...questions(whole, scores),
  );
}

// Heads that sort by their column, numbers as numbers; a second press turns the order.
function sortable(shown) {
  const body = shown.querySelector("tbody");
  [...shown.querySelectorAll("th")].forEach((head, place) => {
    const sort = button("", () => {
      const turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const each of head.parentNode.cells) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
      const text = (row) => row.cells[place].textContent.replaceAll(/(\d),(?=\d{3})/g, "$1").replace("−", "-");
      const order = (one, other) => parseFloat(one) - parseFloat(other) || one.localeCompare(other, "en", { numeric: true });
      body.append(...[...body.rows].sort((one, other) => turn * order(text(one), text(other))));
    }, { class: "sort" });
    sort.append(...head.childNodes);
    if (!sort.textContent.trim()) sort.textContent = `column ${place + 1}`;
    head.append(sort);
  });
}

// What a question must say to get a row; once where all rows want the same.
function conditions(whole) {
  const sentences = [...new Set(whole.rows.map((row) => row.predicate || "Any question may have it."))];
  const key = (row) => row.cells.find((cell) => cell.trim()) ?? "";
  const content = sentences.length === 1
    ? make("p", sentences[0])
    : make("dl", whole.rows.flatMap((row) => [rendered("dt", key(row)), make("dd", row.predicate || "Any question may have it.")]));
  return make("details", [make("summary", "Which questions its rows come back for"), content], { class: "block" });
}

function questions(whole, scores) {
  const ids = new Set(whole.rows.map((row) => row.id));
  const own = (scores?.questions ?? []).filter((each) => each.gold.some((gold) => ids.has(gold.id)));
  if (!own.length) return [];
  const missed = own.filter((each) => each.gold_rank !== 1);
  const listed = (entries) => make("ul", entries.map((each) => make("li", [link(each.query, askOf(each.query)), make("span", each.gold_rank === 1 ? "" : ` – its row ${each.gold_rank ? `comes at ${each.gold_rank}` : "does not come"}`, { class: "quiet" })])));
  return [make("details", [make("summary", `${counted(own.length, "test question")}, ${missed.length || "none"} missed`), listed([...missed, ...own.filter((each) => each.gold_rank === 1)])], { class: "block" })];
}

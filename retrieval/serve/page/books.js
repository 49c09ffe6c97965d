// The books: what there is, a document as it reads, a table that sorts and filters.
import { apiOf, askOf, button, complain, counted, cutList, decoded, get, getIfThere, link, make, placeOf, record, rendered, table } from "./parts.js";

const crumbs = (...steps) => make("nav", make("ol", steps.map((each) => make("li", each))), { class: "crumbs", "aria-label": "Place" });
const toBooks = () => link("Books", "/books");
const toBook = (book) => link(book, `/book/${encodeURIComponent(book)}`);

export async function showBooks(root, signal) {
  const books = await get("/v1/books", signal);
  if (signal.aborted) return;
  const cards = books.map((each) => make("li", [
    make("h2", link(each.title, `/book/${encodeURIComponent(each.book)}`)),
    make("p", `${each.title === each.book ? "" : `${each.book} · `}${counted(each.n_documents, "document")}, ${counted(each.n_chunks, "passage")} and rows`, { class: "quiet" }),
  ]));
  root.replaceChildren(make("h1", "Books"), ...cutList(cards, "book", { class: "cards" }));
}

export async function showBook(root, signal, book) {
  const documents = await get(apiOf(book), signal);
  if (signal.aborted) return;
  const box = searchBox("Find a document or table"), summary = make("p", "", { class: "quiet", role: "status" }), lists = make("div");
  const draw = () => {
    const words = wordsOf(box.value);
    const matches = documents.map((entry) => match(entry, words)).filter(Boolean);
    lists.replaceChildren(...groups(book, matches));
    summary.textContent = words.length ? matchSummary(matches, box.value.trim()) : "";
  };
  box.addEventListener("input", draw);
  draw();
  root.replaceChildren(crumbs(toBooks(), book), make("h1", book), make("section", [box, summary, lists]));
}

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
const hasAll = (text, words) => words.every((word) => text.toLowerCase().includes(word));

// What of a document has all words: tables by their own title first, else the document, else tables together with it.
function match(entry, words) {
  const own = `${entry.title} ${entry.document}`, isOwn = hasAll(own, words);
  if (!words.length) return { entry, isOwn, tables: entry.tables, isOpen: false };
  const named = entry.tables.filter((table) => hasAll(table.title, words));
  const tables = named.length || isOwn ? named : entry.tables.filter((table) => hasAll(`${own} ${table.title}`, words));
  if (tables.length) return { entry, isOwn, tables, isOpen: true };
  return isOwn ? { entry, isOwn, tables: entry.tables, isOpen: false } : null;
}

function matchSummary(matches, text) {
  const nTables = matches.reduce((n, { isOpen, tables }) => n + (isOpen ? tables.length : 0), 0);
  const nDocuments = matches.filter(({ isOwn }) => isOwn).length;
  const parts = [nTables && counted(nTables, "table"), nDocuments && counted(nDocuments, "document")].filter(Boolean);
  if (!parts.length) return `No title contains “${text}”. Try fewer words, or ask for it above: that searches the text.`;
  return `${parts.join(" and ")} ${nTables + nDocuments === 1 ? "matches" : "match"}.`;
}

// The documents with tables, and those of prose alone.
function groups(book, matches) {
  const isTabular = ({ entry }) => entry.tables.length > 0;
  const tabular = matches.filter(isTabular), prose = matches.filter((matched) => !isTabular(matched));
  const listed = (part) => cutList(part.map((matched) => documentItem(book, matched)), "document", { class: "documents" });
  return [
    ...(tabular.length ? [prose.length ? make("h2", `${counted(tabular.length, "document")} with tables`) : null, ...listed(tabular)] : []),
    ...(prose.length ? [make("h2", `${counted(prose.length, "document")} without tables: prose only`), ...listed(prose)] : []),
  ].filter(Boolean);
}

function documentItem(book, { entry, tables, isOpen }) {
  const place = { book, document: entry.document };
  const items = tables.map((table) => make("li", [link(table.title, placeOf(place, null, table.id)), make("span", ` ${counted(table.n_rows, "row")}`, { class: "quiet" })]));
  return make("li", [
    link(entry.title, placeOf(place)),
    make("span", ` ${entry.document}`, { class: "quiet" }),
    items.length ? make("details", [make("summary", counted(items.length, "table")), ...cutList(items, "table")], { open: isOpen ? "" : null }) : null,
  ]);
}

function searchBox(label) {
  return make("input", "", { type: "search", "aria-label": label, placeholder: label, autocomplete: "off" });
}

// A box that hides the rows that do not have its words.
function filterBox(label, rows, summary) {
  const box = searchBox(label);
  box.addEventListener("input", () => {
    const words = wordsOf(box.value);
    for (const row of rows) row.hidden = !hasAll(row.textContent, words);
    const nShown = rows.filter((row) => !row.hidden).length;
    summary.textContent = nShown ? counted(nShown, "row") : `No row contains “${box.value.trim()}”.`;
  });
  return box;
}

export async function showDocument(root, signal, book, document, tableId) {
  if (tableId) {
    const whole = await getIfThere(`/v1/tables/${encodeURIComponent(tableId)}`, signal);
    if (whole) return showTable(root, signal, whole);
    complain("The books have changed since this link was made: its table no longer exists.");
  }
  const blocks = await get(apiOf(book, document), signal);
  const wanted = decoded(location.hash.slice(1));
  const isHere = blocks.some((each) => each.id === wanted || each.table?.rows.some((row) => row.id === wanted));
  const whole = wanted && !isHere ? await getIfThere(`/v1/tables/${encodeURIComponent(wanted)}`, signal) : null;
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
  const sentences = [...new Set(whole.rows.map((row) => row.predicate || "Any question can return it."))];
  const key = (row) => row.cells.find((cell) => cell.trim()) ?? "";
  const content = sentences.length === 1
    ? make("p", sentences[0])
    : make("dl", whole.rows.flatMap((row) => [rendered("dt", key(row)), make("dd", row.predicate || "Any question can return it.")]));
  return make("details", [make("summary", "Questions that return its rows"), content], { class: "block" });
}

function questions(whole, scores) {
  const ids = new Set(whole.rows.map((row) => row.id));
  const own = (scores?.questions ?? []).filter((each) => each.gold.some((gold) => ids.has(gold.id)));
  if (!own.length) return [];
  const missed = own.filter((each) => each.gold_rank !== 1);
  const listed = (entries) => make("ul", entries.map((each) => make("li", [link(each.query, askOf(each.query)), make("span", each.gold_rank === 1 ? "" : ` – its row ${each.gold_rank ? `is at rank ${each.gold_rank}` : "is not in the results"}`, { class: "quiet" })])));
  return [make("details", [make("summary", `${counted(own.length, "test question")}, ${missed.length || "none"} missed`), listed([...missed, ...own.filter((each) => each.gold_rank === 1)])], { class: "block" })];
}

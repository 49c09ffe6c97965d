// What every view uses: elements, links, tables, and the server.
export const at = (id) => document.getElementById(id);

// A new element; attributes that are null are left out, and `on` has listeners.
export function make(tag, content, { on = {}, ...attributes } = {}) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) node.setAttribute(name, value);
  for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
  node.append(...[content ?? ""].flat().filter((each) => each != null));
  return node;
}

// An element of HTML that the server made of a book's markdown: it has no script, style or image in it.
export function rendered(tag, html, attributes) {
  const node = make(tag, "", attributes);
  node.innerHTML = html;
  for (const wide of node.querySelectorAll("pre, table")) wide.tabIndex = 0; // they scroll sideways, by the keyboard too
  return node;
}

// A part of an address as it was before it was encoded; one that nobody encoded as it is.
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// A button; what goes wrong when it is pressed is said at the top.
export function button(label, click, attributes) {
  const press = async (event) => {
    try {
      await click(event);
    } catch (error) {
      if (error.name !== "AbortError") complain(error.message);
    }
  };
  return make("button", label, { type: "button", on: { click: press }, ...attributes });
}
export const link = (label, href, attributes) => make("a", label, { href, ...attributes });

const path = (text) => text.split("/").map(encodeURIComponent).join("/");
export const placeOf = ({ book, document }, id, table) => `/book/${path(book)}${document && `/${path(document)}`}${table ? `?table=${table}` : ""}${id ? `#${id}` : ""}`;
export const apiOf = (book, document) => `/v1/books/${path(book)}${document ? `/${path(document)}` : ""}`;
export const askOf = (q) => `/?${new URLSearchParams({ q })}`;

export const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

export function complain(sentence) {
  at("problem").textContent = sentence;
  at("problem").hidden = !sentence;
}

// What the server says instead of an answer: `status` is 0 where it says nothing, and `wait` is seconds until it will.
export class ServerError extends Error {
  constructor(message, status, wait = 0) {
    super(message);
    [this.status, this.wait] = [status, wait];
  }
}
export const noServer = () => new ServerError("The server does not respond.", 0);

export async function send(route, signal, body) {
  const key = at("key").value || sessionStorage.getItem("key") || "";
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const response = await fetch(route, { headers, signal, ...(body ? { method: "POST", body: JSON.stringify(body) } : {}) }).catch((error) => {
    throw error.name === "AbortError" ? error : noServer();
  });
  if (response.ok) return response;
  at("key-label").hidden = response.status !== 401;
  const told = await response.json().catch(() => null);
  throw new ServerError(told?.error?.message ?? `the server answered ${response.status}`, response.status, Number(response.headers.get("retry-after")) || 0);
}
export const get = async (route, signal) => (await send(route, signal)).json();

// The same, or null where the books do not have it.
export const getIfThere = (route, signal) => get(route, signal).catch((error) => {
  if (error.status === 404) return null;
  throw error;
});

// Characters of a cell that is not broken; longer ones give way to each other.
const SHORT = 16;

// A table of HTML cells in a box that scrolls sideways. `rows` are {id, cells}; `extend` may change a line that was made.
export function table(columns, rows, { caption, head = (html) => rendered("th", html, { scope: "col" }), extend = () => {} } = {}) {
  const lines = rows.map((row) => {
    const line = make("tr", row.cells.map((html) => rendered("td", html)), { "data-chunk": row.id });
    for (const cell of line.cells) cell.classList.toggle("short", cell.textContent.length <= SHORT);
    extend(line, row);
    return line;
  });
  const whole = make("table", [
    caption ? make("caption", caption, { class: "unseen" }) : null,
    make("thead", make("tr", columns.map(head))),
    make("tbody", lines),
  ]);
  return make("div", whole, { class: "scroll", role: "group", "aria-label": caption || "Table", tabindex: 0 });
}

const MOST_ENTRIES = 50; // of a list that are shown at once

// A list, and a button that shows the rest of a long one.
export function cutList(items, noun, attributes) {
  const list = make("ul", items.slice(0, MOST_ENTRIES), attributes);
  if (items.length <= MOST_ENTRIES) return [list];
  const more = button(`Show all ${counted(items.length, noun)}`, () => {
    list.append(...items.slice(MOST_ENTRIES));
    more.remove();
    items[MOST_ENTRIES].querySelector("a")?.focus();
  }, { class: "small" });
  return [list, more];
}

// One thing with its properties, each on a line of its own.
export function record(columns, row) {
  const lines = columns.map((html, number) => make("tr", [rendered("th", html, { scope: "row" }), rendered("td", row.cells[number])]));
  return make("table", make("tbody", lines), { class: "record", "data-chunk": row.id });
}

// A table that is wider than the screen is scrolled to its marked cell if that cannot be seen whole.
export function fit(root) {
  for (const box of root.querySelectorAll(".scroll")) {
    const cell = box.querySelector("td.read");
    if (cell && cell.offsetLeft + cell.offsetWidth > box.clientWidth) box.scrollLeft = cell.offsetLeft - (box.clientWidth - cell.offsetWidth) / 2;
  }
}

export async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = "Copied.";
  } catch {
    told.textContent = "The browser does not allow this page to copy.";
  }
}

// Two buttons by which a person says whether a chunk answers a question, and what will come of it.
export function feedback(query, chunk, name) {
  const told = make("span", "", { class: "quiet", role: "status" });
  const buttons = [["relevant", "This is the one"], ["irrelevant", "Does not belong here"]].map(([verdict, label]) =>
    button(label, async (event) => {
      try {
        await send("/v1/feedback", null, { query, chunk_id: chunk, verdict });
        for (const each of buttons) each.setAttribute("aria-pressed", each === event.target);
        told.textContent = "Saved. The index does not change until someone runs querymust feedback, which turns this into test questions.";
      } catch (error) {
        complain(error.message);
      }
    }, { "aria-pressed": "false", "aria-label": name ? `${label}: ${name}` : null, class: "small" }));
  return make("p", [name ? make("span", name, { class: "name" }) : null, ...buttons, told], { class: "say" });
}

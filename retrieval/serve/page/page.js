// The frame: which view the address names, the question box, what this browser remembers, dark and light.
import { ask, start } from "./answer.js";
import { showBook, showBooks, showDocument } from "./books.js";
import { at, button, complain, counted, decoded, get, make } from "./parts.js";
import { showScores } from "./scores.js";

const MOST_KEPT = 30;
const THEMES = { "light dark": "Auto", light: "Light", dark: "Dark" };
let going = new AbortController(); // of the view that is shown
let status = null; // what the server says of itself
let shown = ""; // the view that is shown

// What is asked is kept in this browser and nowhere else; a browser that keeps nothing has no history.
const kept = (name, otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
};
const keep = (name, value) => {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // it is forgotten with the page
  }
};

function remember(question) {
  keep("asked", [question, ...kept("asked", []).filter((each) => each !== question)].slice(0, MOST_KEPT));
  offerHistory();
}

function offerHistory() {
  at("asked").replaceChildren(...kept("asked", []).map((each) => make("option", "", { value: each })));
}

function forget() {
  keep("asked", []);
  offerHistory();
  read();
}

function dress(theme) {
  document.documentElement.style.colorScheme = theme;
  at("theme").textContent = THEMES[theme];
  at("theme").setAttribute("aria-label", `Theme: ${THEMES[theme]}`);
}

// The view that the address names; the threshold and the switch change it where it is.
function viewed() {
  const given = new URLSearchParams(location.search);
  for (const name of ["least", "compare"]) given.delete(name);
  return `${location.pathname}?${given}`;
}

async function load(signal) {
  status ??= await get("/v1/status", signal);
  if (at("strategy").options.length) return;
  const names = [status.strategy, ...status.strategies.filter((name) => name !== status.strategy)];
  at("strategy").replaceChildren(...names.map((name) => new Option(name, name)));
}

// The search that an address names, and a sentence for each part of it that cannot be used.
function search(given) {
  const names = [...at("strategy").options].map((each) => each.value), told = [];
  const wanted = { strategy: given.get("strategy") || status.strategy, k: given.get("k") || at("k").defaultValue };
  if (!names.includes(wanted.strategy)) {
    told.push(`There is no strategy “${wanted.strategy}”; this is ${status.strategy}. Available: ${names.join(", ")}.`);
    wanted.strategy = status.strategy;
  }
  const { defaultValue, max } = at("k");
  if (!/^\d+$/.test(wanted.k) || wanted.k < 1 || wanted.k > Number(max)) {
    told.push(`“${wanted.k}” hits cannot be shown; these are ${defaultValue}. Ask for a whole number from 1 to ${max}.`);
    wanted.k = defaultValue;
  }
  complain(told.join(" "));
  [at("strategy").value, at("k").value] = [wanted.strategy, wanted.k];
  at("about").textContent = status.about[wanted.strategy] ?? "";
  return {
    query: given.get("q"),
    strategy: wanted.strategy,
    k: Number(wanted.k),
    least: Number(given.get("least")) || 0,
    isCompared: given.has("compare"),
    hasFilter: !status.unfiltered.includes(wanted.strategy),
  };
}

async function read() {
  shown = viewed();
  going.abort();
  going = new AbortController();
  const signal = going.signal, given = new URLSearchParams(location.search), root = at("view");
  const [, view, book, ...document_] = location.pathname.split("/").map(decoded);
  complain("");
  for (const each of document.querySelectorAll("nav a")) {
    const here = each.pathname.slice(1, 5) === (view ?? "").slice(0, 4);
    here ? each.setAttribute("aria-current", "page") : each.removeAttribute("aria-current");
  }
  at("question").value = given.get("q") ?? "";
  document.title = [given.get("q") || document_.join("/") || book || view, "querymust"].filter(Boolean).join(" - ");
  root.replaceChildren(make("p", "Reading …", { class: "quiet", role: "status" }));
  try {
    await load(signal);
    if (view === "books") await showBooks(root, signal);
    else if (view === "book") await (document_.length ? showDocument(root, signal, book, document_.join("/"), given.get("table")) : showBook(root, signal, book));
    else if (view === "evaluation") await showScores(root, signal);
    else if (given.get("q")) {
      remember(given.get("q"));
      await ask(root, signal, search(given));
    } else start(root, status, kept("asked", []), forget);
    if (!signal.aborted) goToHash();
  } catch (error) {
    if (!signal.aborted) fail(root, error, signal);
  }
}

async function readAgain() {
  await read();
  keepFocus();
}

// What had the focus is gone with the view before.
function keepFocus() {
  if (document.activeElement === document.body) at("main").focus({ preventScroll: true });
}

// What happened and what to do about it. The question stays in its box and in the address.
function fail(root, error, signal) {
  const isFull = error.status === 429, isGone = error.status === 0;
  complain(isFull ? "Too many requests: the server asks this page to wait." : error.message);
  if (!isFull && !isGone && !(error.status >= 500)) return root.replaceChildren();
  const question = new URLSearchParams(location.search).get("q");
  const advice = make("p", isGone ? ["It was stopped, or the network is down. Start it with ", make("code", "querymust serve"), ", then try again."] : "");
  if (isFull) countDown(advice, Math.max(1, error.wait), signal);
  root.replaceChildren(make("section", [
    make("h1", isFull ? "Wait a moment" : isGone ? "The server does not respond" : "The request failed"),
    advice,
    question ? make("p", ["Your question is kept: ", make("q", question)]) : null,
    make("p", button("Try again", readAgain, { class: "main" })),
  ], { id: "failure" }));
}

// Says how long there is to wait, and asks again by itself when it is over.
function countDown(advice, seconds, signal) {
  const until = Date.now() + 1000 * seconds;
  const tell = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    if (left > 0) advice.textContent = `Wait ${counted(left, "second")}; the page then asks again by itself.`;
    else readAgain();
  };
  const timer = setInterval(tell, 250);
  signal.addEventListener("abort", () => clearInterval(timer));
  tell();
}

// To the row or passage that the address names.
function goToHash() {
  for (const each of document.querySelectorAll(".here")) each.classList.remove("here");
  const id = decoded(location.hash.slice(1));
  if (!id || id === "main") return;
  const place = at(id);
  if (!place) return complain("The books have changed since this link was made: the place that it points to no longer exists.");
  place.classList.add("here");
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "center" });
}

async function visit(address) {
  history.pushState(null, "", address);
  if (viewed() === shown && location.hash) return goToHash();
  scrollTo(0, 0);
  await read();
  keepFocus();
}

at("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (at("key").value) sessionStorage.setItem("key", at("key").value);
  try {
    await load();
  } catch {
    // the view of the answer says what is wrong
  }
  const standing = { strategy: status?.strategy ?? at("strategy").value, k: at("k").defaultValue };
  const chosen = Object.entries({ strategy: at("strategy").value, k: at("k").value }).filter(([name, value]) => value !== standing[name]);
  visit(`/?${new URLSearchParams([["q", at("question").value], ...chosen])}`);
});
for (const id of ["strategy", "k"]) at(id).addEventListener("change", () => at("question").value && at("form").requestSubmit());
at("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES), next = names[(names.indexOf(kept("theme", names[0])) + 1) % names.length];
  keep("theme", next);
  dress(next);
});
document.addEventListener("click", (event) => {
  const target = event.target.closest("a");
  if (!target || target.origin !== location.origin || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (target.hash === "#main") return;
  event.preventDefault();
  visit(target.href);
});
addEventListener("popstate", () => (viewed() === shown ? goToHash() : read()));
dress(kept("theme", "light dark"));
offerHistory();
read();

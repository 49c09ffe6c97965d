// The form, the address, and the two lists.
import { listen } from "./answer.js";
import { card, fit } from "./hits.js";
import { at, complain, make, send } from "./parts.js";

const DEFAULT = { strategy: "default", k: 8 };
let turn = 0; // answers of an earlier question are dropped
let going = null;
let offered = null; // what the server says of itself
let asked = null; // the question that is shown, and the address that shows it

async function offer() {
  if (offered) return;
  const status = await (await send("v1/status")).json();
  DEFAULT.strategy = status.strategy;
  const names = [DEFAULT.strategy, ...status.strategies.filter((name) => name !== DEFAULT.strategy)];
  at("strategy").replaceChildren(...names.map((name) => {
    const option = new Option(name, name);
    option.title = status.about[name] ?? "";
    return option;
  }));
  at("library").textContent = status.live ? `${status.n_chunks.toLocaleString("en")} chunks, index ${status.live}` : "";
  at("question").placeholder = status.examples[0] ?? "";
  invite(status);
  offered = status;
}

function invite(status) {
  at("examples").replaceChildren(...status.examples.map((query) => {
    const link = make("a", query);
    link.href = `?${new URLSearchParams({ q: query })}`;
    return make("li", link);
  }));
  const books = (status.books ?? []).join(", ");
  at("invitation").textContent = !status.live ? "Nothing is live here: build an index first." : status.examples.length ? `In this index: ${books}. Questions to begin with:` : `In this index: ${books}.`;
}

// The strategy and the number of hits of the address; returns a sentence for each that cannot be used.
function choose() {
  const wanted = new URLSearchParams(location.search), told = [];
  const strategy = wanted.get("strategy") || DEFAULT.strategy, k = wanted.get("k") || DEFAULT.k;
  const names = [...at("strategy").options].map((each) => each.value);
  const isKnown = names.includes(strategy), isCount = /^\d+$/.test(k) && k >= 1 && k <= 50;
  if (!isKnown && offered) told.push(`The page offers no strategy “${strategy}”; this is ${DEFAULT.strategy}. There are: ${names.join(", ")}.`);
  if (!isCount) told.push(`“${k}” hits cannot be shown; these are ${DEFAULT.k}. Ask for a whole number from 1 to 50.`);
  at("strategy").value = isKnown ? strategy : DEFAULT.strategy;
  at("k").value = isCount ? k : DEFAULT.k;
  describe();
  return told.join(" ");
}

const describe = () => (at("strategy").title = at("strategy").selectedOptions[0]?.title ?? "");

async function read() {
  let told = "";
  try {
    await offer();
  } catch (error) {
    told = error.message;
  }
  told = [told, choose()].filter(Boolean).join(" ");
  const query = new URLSearchParams(location.search).get("q") ?? "";
  at("question").value = query;
  at("start").hidden = Boolean(query);
  if (query) return ask(query, told);
  turn++;
  going?.abort();
  asked = null;
  document.title = "querymust";
  at("found").hidden = at("answer").hidden = true;
  complain(told);
}

function visit(query) {
  const address = `?${new URLSearchParams({ q: query, strategy: at("strategy").value, k: at("k").value })}`;
  if (address !== location.search || location.hash) history.pushState(null, "", address);
  ask(query, "");
}

async function ask(query, told) {
  const mine = ++turn;
  going?.abort();
  going = new AbortController();
  complain(told);
  const strategy = at("strategy").value, k = Number(at("k").value);
  asked = { query, k: at("k").value, address: location.search };
  document.title = `${query} - querymust`;
  at("start").hidden = true;
  for (const id of ["off", "on", "text", "doubts", "step", "summary", "legend", "time"]) at(id).replaceChildren();
  at("step").title = "";
  at("doubts").hidden = true;
  try {
    const body = { query, strategy, k, min_relevance: 0 };
    const [off, on] = await Promise.all([{ ...body, query_must: false }, body].map(async (each) => (await send("v1/retrieve", each, going.signal)).json()));
    if (mine !== turn) return;
    show(query, off, on);
    await listen(query, going.signal, () => mine !== turn);
    if (mine === turn) go();
  } catch (error) {
    if (error.name === "AbortError" || mine !== turn) return;
    complain(error.message);
    at("found").hidden = !at("on").children.length;
    at("answer").hidden = !at("text").textContent;
  }
}

function show(query, off, on) {
  at("found").hidden = false;
  const out = off.hits.filter((hit) => hit.kept_out).length;
  const isBare = offered?.unfiltered.includes(on.strategy);
  const read = on.receipt.read_as ? `Read as “${on.receipt.read_as}”. ` : "";
  at("summary").textContent = read + (isBare
    ? `The strategy ${on.strategy} has no filter: both lists are the same.`
    : `The filter keeps ${out || "none"} of the first ${off.hits.length} out.`);
  at("off-words").textContent = `What comes back where no row may keep itself out.${out ? " Grey: the filter keeps it out, and why." : ""}`;
  at("on-words").textContent = out ? "Rows that are for other questions are gone; what moved up takes their places." : "Nothing had to go.";
  at("off").append(...off.hits.map((hit) => card(query, hit, "off")));
  at("on").append(...on.hits.map((hit) => card(query, hit, "on")));
  fit(at("found"));
  time(on.receipt);
}

function time(receipt) {
  at("time").replaceChildren(...receipt.stages.map((stage) => {
    const piece = make("span");
    piece.style.width = `${(100 * stage.milliseconds) / receipt.milliseconds}%`;
    piece.title = `${stage.name} ${stage.milliseconds.toFixed(1)} ms`;
    return piece;
  }));
  const told = receipt.stages.map((stage) => `${stage.name} ${stage.milliseconds.toFixed(1)}`).join(", ");
  at("legend").textContent = `${receipt.milliseconds.toFixed(0)} ms: ${told}`;
  at("time").setAttribute("aria-label", at("legend").textContent);
}

// To the hit that the address names.
function go() {
  for (const each of document.querySelectorAll(".here")) each.classList.remove("here");
  const name = location.hash.slice(1), box = at(name);
  if (!/^(on|off)-/.test(name)) return;
  if (!box) return complain("The hit of this link is not among those that are shown.");
  box.classList.add("here");
  box.focus({ preventScroll: true });
  box.scrollIntoView({ block: "start" });
}

at("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (at("key").value) sessionStorage.setItem("key", at("key").value);
  if (!offered) await offer().then(choose, () => {});
  visit(at("question").value);
});
for (const id of ["strategy", "k"]) {
  at(id).addEventListener("change", () => {
    describe();
    if (at("k").checkValidity()) return asked && visit(asked.query);
    complain("Hits: a whole number from 1 to 50.");
    at("k").value = asked?.k ?? DEFAULT.k;
  });
}
at("text").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link) return;
  event.preventDefault();
  if (link.hash !== location.hash) history.pushState(null, "", link.hash);
  go();
});
addEventListener("popstate", () => (asked && asked.address === location.search ? go() : read()));
addEventListener("resize", () => fit(at("found")));
read();

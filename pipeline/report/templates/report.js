"use strict";
// The whole behaviour of the page: tables that sort, and the questions. Every text goes in as text, never as HTML.
(() => {
  const FIRST = 200; // rows that are drawn before somebody asks for all
  const make = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  const mark = (header, direction) => {
    for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", direction);
  };
  const turned = (header) => (header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending");

  for (const table of document.querySelectorAll("table.sortable")) {
    table.querySelectorAll("thead .sort").forEach((button) => {
      const header = button.closest("th");
      const column = [...header.parentElement.children].indexOf(header);
      button.addEventListener("click", () => {
        const direction = turned(header);
        const value = (row) => {
          const cell = row.children[column];
          const text = cell.dataset.v ?? cell.textContent.trim();
          const number = parseFloat(text.replace(/,/g, ""));
          return Number.isNaN(number) || header.className.indexOf("n") < 0 ? text : number;
        };
        const body = table.tBodies[0];
        const rows = [...body.rows].map((row, place) => [value(row), place, row]);
        rows.sort((a, b) => (direction === "ascending" ? 1 : -1) * compare(a[0], b[0]) || a[1] - b[1]);
        body.append(...rows.map((row) => row[2]));
        mark(header, direction);
      });
    });
  }

  const heated = document.getElementById("heated");
  heated?.addEventListener("change", () => {
    for (const each of document.querySelectorAll(".heated")) each.hidden = each.dataset.metric !== heated.value;
  });

  const source = document.getElementById("data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const outcomes = data.outcomes.map(([at, strategy, rank, failed, hasGold, noise, excluded, why, first, gold, ranking], place) => {
    const [id, set, query, book, kind, answer, shell] = data.questions[at];
    return { place, id, set, query, book, kind, answer, shell, strategy: data.strategies[strategy], rank, failed, hasGold, noise, excluded, why, first, gold, ranking };
  });
  const several = new Set(outcomes.map((each) => each.set)).size > 1;
  const form = document.getElementById("filters");
  const table = document.getElementById("asked");
  const more = document.getElementById("more");
  const state = { sort: "", direction: "ascending", all: false, open: "" };

  const order = (each) => (each.rank ?? (each.hasGold ? 1000 : 2000));
  const keys = { id: (each) => each.id, strategy: (each) => each.strategy, kind: (each) => each.kind, book: (each) => each.book, rank: order, noise: (each) => each.noise };

  const chosen = () => {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = (name, value) => !form.elements[name].value || form.elements[name].value === value;
    return outcomes.filter((each) => {
      if (!wanted("strategy", each.strategy) || !wanted("kind", each.kind) || !wanted("book", each.book)) return false;
      if (form.elements.failed.checked && !each.failed) return false;
      const text = `${each.id} ${each.query} ${each.answer}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  };

  const place = (each) => (each.rank ? String(each.rank) : each.hasGold ? "beyond 100" : "no gold");

  const command = (each, short) => `querymust explain ${each.shell} --chunk ${short}${each.strategy === "default" ? "" : ` --strategy ${each.strategy}`}${data.home}`;

  const copyLine = (text) => {
    const line = make("div", "line");
    const code = make("code", "", text);
    const button = make("button", "copy", "copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(code); // a page from a file may not write to the clipboard
        button.textContent = "selected";
      }
    });
    line.append(code, button);
    return line;
  };

  const chunkItem = (each, at, className, label) => {
    const [short, title, where, snippet, guarded] = data.chunks[at];
    const item = make("li", `hit ${className}`);
    const head = make("div");
    head.append(make("b", "", `${label}${title}`));
    if (className === "gold") head.append(make("span", "tag good", "gold"));
    if (className === "out") head.append(make("span", "tag bad", "excluded"));
    if (guarded) head.append(make("span", "tag quiet", "guarded"));
    item.append(head, make("div", "snippet", snippet), make("div", "quiet", where));
    item.tail = () => item.append(copyLine(command(each, short)));
    return item;
  };

  const detail = (each) => {
    const cell = make("td");
    // columns that a narrow window hides would make room for themselves
    cell.colSpan = [...table.tHead.rows[0].cells].filter((header) => header.offsetParent !== null).length;
    if (each.answer) cell.append(make("p", "", `Answer in the question file: ${each.answer}`));
    for (const text of each.why) cell.append(make("p", "bad", `Why: ${data.texts[text]}.`));
    if (!each.ranking) {
      cell.append(make("p", "quiet", "This page holds the rankings of other questions; ask for this one:"));
      const strategy = each.strategy === "default" ? "" : ` --strategy ${each.strategy}`;
      cell.append(copyLine(`querymust search ${each.shell} --debug${strategy}${data.home}`));
      return cell;
    }
    const [canonical, hits, excluded, nExcluded, missing] = each.ranking;
    cell.append(make("p", "quiet", `As the predicates saw it: ${canonical}`));
    const list = make("ol", "ranked");
    hits.forEach(([at, score, gold, reason, parts], number) => {
      const item = chunkItem(each, at, gold ? "gold" : "", `${number + 1}. `);
      const sum = make("div", "parts");
      sum.append(make("strong", "", score.toFixed(4)), " = ");
      sum.append(parts.map(([name, value, weight, adds]) => `${adds.toFixed(4)} ${data.texts[name]}${weight === 1 ? "" : ` (${value.toFixed(4)} × ${weight.toFixed(4)})`}`).join(" + ") || "0");
      item.append(sum, make("div", "quiet", `Kept: ${data.texts[reason]}.`));
      item.tail();
      list.append(item);
    });
    cell.append(list);
    const beside = (heading, found, className, say) => {
      if (!found.length) return;
      cell.append(make("p", "", heading));
      const others = make("ol", "ranked");
      for (const [at, text] of found) {
        const item = chunkItem(each, at, className, "");
        item.append(make("div", className === "out" ? "bad" : "quiet", say(data.texts[text])));
        item.tail();
        others.append(item);
      }
      cell.append(others);
    };
    beside("Gold that is not among these:", missing, "gold", (text) => `Where it is: ${text}.`);
    const rest = nExcluded > excluded.length ? `, the first ${excluded.length} of ${nExcluded}` : "";
    beside(`Kept out from among the first by the filter${rest}:`, excluded, "out", (text) => `Excluded: ${text}.`);
    return cell;
  };

  const toggle = (each, row, button) => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    if (!open) {
      row.nextElementSibling.remove();
      return;
    }
    const under = make("tr", "detail");
    under.append(detail(each));
    row.after(under);
  };

  const drawn = (each) => {
    const row = make("tr");
    row.dataset.place = each.place;
    const first = make("td", "id");
    const button = make("button", "open");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.append(make("span", "qid", several ? `${each.set}: ${each.id}` : each.id), each.query);
    button.addEventListener("click", () => toggle(each, row, button));
    first.append(button);
    if (each.failed) first.append(make("span", "met", `First came ${each.first === null ? "nothing" : data.chunks[each.first][1]}; gold is ${data.chunks[each.gold][1]}`));
    first.append(make("span", "narrow", [each.strategy, each.kind, each.book].filter(Boolean).join(" · ")));
    row.append(first, make("td", "strategy", each.strategy), make("td", "kind", each.kind), make("td", "book", each.book));
    const rank = make("td", "rank n");
    rank.append(make("span", each.failed ? "bad" : each.hasGold ? "good" : "quiet", place(each)));
    if (each.excluded) rank.append(" ", make("span", "tag bad", "excluded"));
    row.append(rank, make("td", "noise n", String(each.noise)));
    if (state.open && state.open === each.id) button.setAttribute("aria-expanded", "true");
    return row;
  };

  const draw = () => {
    const found = chosen();
    const key = keys[state.sort];
    const sign = state.direction === "ascending" ? 1 : -1;
    if (key) found.sort((a, b) => sign * compare(key(a), key(b)) || a.place - b.place);
    else found.sort((a, b) => b.failed - a.failed || a.place - b.place);
    const shown = state.all ? found : found.slice(0, FIRST);
    const rows = document.createDocumentFragment();
    for (const each of shown) {
      const row = drawn(each);
      rows.append(row);
      if (row.querySelector("[aria-expanded=true]")) {
        const under = make("tr", "detail");
        under.append(detail(each));
        rows.append(under);
      }
    }
    table.tBodies[0].replaceChildren(rows);
    const failed = found.filter((each) => each.failed).length;
    document.getElementById("shown").textContent = `${found.length} of ${outcomes.length} answers (${data.questions.length} questions, ${data.strategies.length} strategies), ${failed} of them failed${shown.length < found.length ? `; the first ${shown.length} are shown` : ""}`;
    more.hidden = shown.length === found.length;
  };

  const sortBy = (key, direction) => {
    const header = table.querySelector(`[data-key="${CSS.escape(key)}"]`)?.closest("th");
    if (!header) return;
    state.sort = key;
    state.direction = direction ?? turned(header);
    mark(header, state.direction);
  };

  // #questions?strategy=dense&failed=1&sort=rank&direction=descending&open=ID leads to what it says.
  const follow = () => {
    const [section, query] = location.hash.slice(1).split("?");
    if (section !== "questions" || query === undefined) return;
    const asked = new URLSearchParams(query);
    for (const name of ["q", "strategy", "kind", "book"]) if (asked.has(name)) form.elements[name].value = asked.get(name);
    if (asked.has("failed")) form.elements.failed.checked = asked.get("failed") === "1";
    if (asked.has("sort")) sortBy(asked.get("sort"), asked.get("direction") === "descending" ? "descending" : "ascending");
    state.open = asked.get("open") ?? "";
    state.all = state.open !== ""; // what is asked for may stand far down
    draw();
    document.getElementById("questions").scrollIntoView();
  };

  table.querySelectorAll("thead .sort").forEach((button) => button.addEventListener("click", () => { sortBy(button.dataset.key); draw(); }));
  form.addEventListener("input", () => { state.all = false; state.open = ""; draw(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { state.all = true; draw(); });
  matchMedia("(max-width: 46rem)").addEventListener("change", draw);
  addEventListener("hashchange", follow);
  draw();
  follow();
})();

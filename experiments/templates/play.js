// The page: asks the server, draws what it answers.
const game = { id: null, view: null, body: null, isBusy: false, isDealing: false, hint: null, logged: 0 };

async function ask(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  try {
    const response = await fetch(path, options);
    return { ok: response.ok, status: response.status, data: await response.json() };
  } catch {
    return { ok: false, status: 0, data: { error: "The server does not answer. Is it still running?" } };
  }
}

function tell(trouble) {
  byId("trouble").textContent = trouble || "";
  byId("trouble").hidden = !trouble;
}

async function newGame(body) {
  if (game.isDealing) return null; // a double click deals one game
  game.isDealing = true;
  const answer = await ask("POST", "/api/games", body);
  game.isDealing = false;
  if (!answer.ok) return answer.data.error;
  if (game.id !== null) ask("DELETE", `/api/games/${game.id}`);
  Object.assign(game, { id: answer.data.id, body, isBusy: false, hint: null, logged: 0 });
  const title = `${words(body.preset)}, seed ${answer.data.seed}`;
  sessionStorage.setItem("war_game", JSON.stringify({ id: game.id, body, title }));
  byId("history").replaceChildren();
  byId("record").href = `/api/games/${game.id}/record`;
  byId("record").hidden = false;
  byId("title").textContent = title;
  tell();
  draw(answer.data.view);
  return null;
}

async function move(path, body) {
  if (game.isBusy || game.view === null || game.view.is_over) return;
  game.isBusy = true;
  const { id } = game;
  const wasInMoves = byId("hand").contains(document.activeElement) || byId("moves").contains(document.activeElement);
  const place = [...byId("hand").children].indexOf(document.activeElement);
  const answer = await ask("POST", `/api/games/${game.id}/${path}`, { comparisons: game.view.comparisons, ...body });
  if (game.id !== id) return; // another game was dealt meanwhile
  game.isBusy = false;
  game.hint = null;
  if (answer.ok) {
    tell();
    draw(answer.data.view);
  } else {
    tell(answer.data.error);
    if (answer.status === 409) await look();
  }
  if (wasInMoves || document.activeElement === document.body) focusOnMove(place);
}

async function look() {
  const { id } = game;
  const answer = await ask("GET", `/api/games/${id}`);
  if (answer.ok && game.id === id) draw(answer.data.view);
  return answer.ok;
}

function play(slot) {
  return move("play", { slot });
}

// To the end, in as many requests as the server takes for it.
async function playOn(battles) {
  const begun = game.id;
  do {
    await move("continue", { battles });
  } while (battles === null && game.id === begun && waits() && byId("trouble").hidden);
}

function waits() {
  return game.view !== null && !game.view.is_over && !game.view.may_choose;
}

async function showHint() {
  if (!game.view || !game.view.may_choose) return;
  const { view } = game;
  const answer = await ask("GET", `/api/games/${game.id}/hint`);
  if (game.view !== view) return; // a hint for a table that is gone
  if (!answer.ok) return tell(answer.data.error);
  game.hint = answer.data;
  draw(game.view);
}

async function showKnown(isOpen) {
  byId("known").hidden = !isOpen;
  byId("know").setAttribute("aria-expanded", String(isOpen));
  if (!isOpen || game.id === null) return;
  const { view } = game;
  const answer = await ask("GET", `/api/games/${game.id}/known`);
  if (answer.ok && game.view === view) drawKnown(answer.data);
}

function drawKnown(known) {
  const rows = known.seats.map((seat) => [seat.name === "you" ? "With you" : `With ${seat.name}`, seat.cards]);
  if (known.seats.length) rows.push(["Seen, whereabouts unknown", known.unlocated]);
  rows.push(["Never seen", known.unseen]);
  const list = element("dl", { class: "known" });
  for (const [name, cards] of rows) {
    const total = cards.reduce((sum, card) => sum + card.count, 0);
    const chips = cards.map((card) => element("span", { class: "chip" }, card.count > 1 ? `${card.rank}×${card.count}` : card.rank));
    list.append(element("dt", {}, `${name} (${total})`), element("dd", {}, ...(chips.length ? chips : ["none"])));
  }
  byId("known").replaceChildren(element("h2", {}, "What an attentive player knows"), list);
}

function focusOnMove(place = 0) {
  const cards = [...byId("hand").children];
  const target = cards[Math.min(Math.max(place, 0), cards.length - 1)] || byId("moves").querySelector("button");
  if (game.view.is_over) byId("again").focus();
  else if (target) target.focus();
}

function draw(view) {
  game.view = view;
  byId("headline").textContent = view.is_over ? "" : view.headline;
  document.body.classList.toggle("at-war", view.is_war);
  byId("hint").disabled = !view.may_choose;
  byId("hinted").textContent = game.hint ? game.hint.text : "";
  drawProgress(view.max_battles ?? view.rounds, view.battle ?? view.round, view.is_over);
  if (view.game === "casino") drawCasino(view);
  else drawWar(view);
  drawHistory(view.history);
  drawResult(view);
  if (!byId("known").hidden) showKnown(true);
}

function drawProgress(most, now, isOver) {
  const bar = byId("progress");
  bar.hidden = !most;
  if (most) Object.assign(bar, { max: most, value: isOver ? now : now - 1 });
}

function drawWar(view) {
  byId("others").className = view.seats.length > 3 ? "others many" : "others";
  byId("others").replaceChildren(...view.seats.filter((seat) => !seat.is_person).map(plate));
  byId("me").replaceChildren(plate(view.seats[view.person]));
  const last = view.history.at(-1);
  byId("banner").hidden = !view.is_war;
  byId("banner").textContent = "WAR";
  const taker = view.is_settled ? last.seat : null;
  const lays = view.seats.filter((seat) => view.table[seat.seat].length);
  byId("pot").replaceChildren(...lays.map((seat) => lay(seat, view.table[seat.seat], seat.seat === taker, taker !== null)));
  byId("said").hidden = view.is_over;
  byId("said").textContent = last ? last.text : "The cards are dealt.";
  byId("hand").replaceChildren(...(view.is_over ? [] : view.hand.map((card) => handCard(card, view.may_choose))));
  const on = [["Next battle", "Enter", () => playOn(1)], ["Play on", "a", () => playOn(null)]];
  byId("moves").replaceChildren(...(waits() ? on.map((entry) => moveButton(...entry)) : []));
}

function plate(seat) {
  const stacks = [stack(seat.stock, "stock")];
  if (seat.pile_name) stacks.push(stack(seat.pile, seat.pile_name));
  if (seat.hand && !seat.is_person) stacks.push(fan(seat.hand));
  const kind = ["plate", seat.is_out ? "out" : "", seat.is_person ? "mine" : ""].join(" ");
  const note = seat.is_out ? " (out)" : "";
  const score = element("p", { class: "score" }, `${seat.held} ${seat.pile_name === "captured" ? "captured" : "cards"}`);
  const who = element("div", {}, element("p", { class: "name" }, seat.name + note), score);
  return element("div", { class: kind }, who, element("div", { class: "stacks" }, ...stacks));
}

function fan(count) {
  const cards = Array.from({ length: count }, () => cardPicture(null, true));
  const row = element("div", { class: "fan", "aria-hidden": "true" }, ...cards);
  return element("div", { class: "stack" }, row, element("span", { class: "count" }, String(count)), element("span", { class: "what" }, "hand"));
}

function lay(seat, cards, isTaker, isTaken) {
  const state = isTaker ? "lay taker" : isTaken ? "lay beaten" : "lay";
  const row = element("div", { class: "row" }, ...cards.map((card) => cardPicture(card)));
  return element("div", { class: state, role: "group", "aria-label": `${seat.name} laid` }, row, element("p", { class: "name" }, seat.name));
}

function handCard(card, isLegal) {
  const key = String(card.slot + 1);
  const isHinted = game.hint !== null && game.hint.slot === card.slot;
  const made = element("button", { type: "button", class: isHinted ? "choice hint" : "choice", disabled: !isLegal,
    "aria-label": card.label + (isHinted ? ", the hint" : ""), "aria-keyshortcuts": key }, cardPicture(card, true), element("kbd", { "aria-hidden": "true" }, key));
  made.addEventListener("click", () => play(card.slot));
  return made;
}

function moveButton(text, key, action, isHinted = false) {
  const made = element("button", { type: "button", class: isHinted ? "primary hint" : "primary", "aria-keyshortcuts": key }, text, element("kbd", { "aria-hidden": "true" }, key));
  made.addEventListener("click", action);
  return made;
}

function drawCasino(view) {
  const names = ["you", "dealer"];
  byId("others").className = "others";
  byId("others").replaceChildren(element("div", { class: "plate" }, element("p", { class: "name" }, "the shoe"), element("div", { class: "stacks" }, stack(view.cards_left, "cards left"))));
  byId("me").replaceChildren(element("p", { class: "units" }, `${view.units_text} units`));
  byId("banner").hidden = !view.is_war;
  byId("banner").textContent = "TIE";
  byId("pot").replaceChildren(...view.cards.map((card, k) => lay({ name: names[k] }, [card], false, false)));
  byId("said").textContent = view.history.length ? view.history.at(-1).text : "The shoe is shuffled.";
  byId("hand").replaceChildren();
  byId("moves").replaceChildren(...view.actions.map((action, k) => moveButton(action.label, String((k + 1) % 10), () => play(action.slot), game.hint !== null && game.hint.slot === action.slot)));
}

function drawHistory(events) {
  const list = byId("history");
  for (const event of events.filter((entry) => entry.number > game.logged)) {
    list.append(element("li", { class: event.is_war || event.is_tie ? "war" : "" }, event.text));
  }
  if (events.length) game.logged = events.at(-1).number;
  while (list.children.length > 200) list.firstChild.remove();
  list.scrollTop = list.scrollHeight;
}

function drawResult(view) {
  byId("result").hidden = !view.is_over;
  if (!view.is_over) return;
  byId("result").dataset.result = view.outcome ? view.outcome.result : "draw";
  byId("result_head").textContent = view.headline;
  byId("result_text").textContent = view.outcome ? view.outcome.detail : "";
}

function onKey(event) {
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping || document.querySelector("dialog[open]")) return;
  const choices = [...byId("hand").children, ...(game.view && game.view.may_choose ? byId("moves").children : [])];
  const number = "1234567890".indexOf(event.key);
  if (number >= 0 && choices[number]) choices[number].click();
  else if (event.key === "Enter" && waits() && event.target.tagName !== "BUTTON") playOn(1);
  else if (event.key === "a" && waits()) playOn(null);
  else if (event.key === "h") showHint();
  else if (event.key === "k") showKnown(byId("known").hidden);
  else if (event.key === "n") openDialog();
  else if (event.key === "?") byId("help_dialog").showModal();
  else return;
  event.preventDefault();
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  byId("theme").setAttribute("aria-pressed", String(isDark));
  return isDark;
}

async function resume() {
  const kept = JSON.parse(sessionStorage.getItem("war_game") || "null");
  if (kept === null) return false;
  const { title, ...rest } = kept;
  Object.assign(game, rest);
  byId("record").href = `/api/games/${game.id}/record`;
  byId("title").textContent = title;
  if (await look()) {
    byId("record").hidden = false;
    return true;
  }
  game.id = null;
  return false;
}

async function start() {
  setTheme(localStorage.getItem("war_theme"));
  byId("theme").addEventListener("click", () => {
    const theme = byId("theme").getAttribute("aria-pressed") === "true" ? "light" : "dark";
    localStorage.setItem("war_theme", theme);
    setTheme(theme);
  });
  byId("new").addEventListener("click", openDialog);
  byId("hint").addEventListener("click", showHint);
  byId("know").addEventListener("click", () => showKnown(byId("known").hidden));
  byId("help").addEventListener("click", () => byId("help_dialog").showModal());
  byId("close_help").addEventListener("click", () => byId("help_dialog").close());
  byId("again").addEventListener("click", async () => {
    tell(await newGame({ ...game.body, seed: undefined }));
    focusOnMove();
  });
  document.addEventListener("keydown", onKey);
  await startDialog();
  if (!(await resume())) openDialog();
}

start();

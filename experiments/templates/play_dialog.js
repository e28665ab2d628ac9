// The new-game dialog: controls from the server's data; what may be played the server says.
const FORM = JSON.parse(document.getElementById("form_data").textContent);
const byId = (name) => document.getElementById(name);
let agents = [];
let checks = 0;

function presetOf() {
  return FORM.presets.find((preset) => preset.name === byId("preset").value);
}

function words(value) {
  return value === null ? "none" : String(value).replaceAll("_", " ");
}

function selectOf(id, choices, chosen) {
  const made = element("select", { id });
  for (const [value, text] of choices) made.append(element("option", { value: JSON.stringify(value) }, text));
  made.value = JSON.stringify(chosen);
  return made;
}

function control(option, value) {
  const id = `option_${option.name}`;
  if (option.kind === "checkbox") return element("input", { id, type: "checkbox", checked: value });
  if (option.kind === "select") return selectOf(id, option.choices.map((choice) => [choice, words(choice)]), value);
  if (option.is_whole && option.max - option.min <= 10 && !option.may_be_empty) {
    const numbers = Array.from({ length: option.max - option.min + 1 }, (_, k) => option.min + k);
    return selectOf(id, numbers.map((number) => [number, String(number)]), value);
  }
  const hint = option.may_be_empty ? "no limit" : "";
  const step = option.is_whole ? 1 : "any";
  const shown = value === null ? "" : value;
  return element("input", { id, type: "number", min: option.min, max: option.max, step, placeholder: hint, value: shown });
}

function labelled(text, field, title) {
  const isBox = field.type === "checkbox";
  const label = element("label", { htmlFor: field.id, class: isBox ? "box" : "", title });
  label.append(...(isBox ? [field, text] : [text, field]));
  return label;
}

function showOptions() {
  const preset = presetOf();
  const [main, more] = [byId("main_options"), byId("more_options")];
  main.replaceChildren();
  more.replaceChildren();
  for (const option of FORM.options[preset.game]) {
    const field = control(option, preset.rules[option.name]);
    (option.is_main ? main : more).append(labelled(option.label, field, option.meaning));
  }
  if (preset.game === "war") {
    const field = element("input", { id: "play_on", type: "checkbox" });
    main.append(labelled("Play on until all cards are won", field, "sensō's local rule: nobody stops after one pass"));
  }
  byId("summary").textContent = preset.summary;
  byId("more").hidden = !more.children.length;
}

function optionValue(option) {
  const field = byId(`option_${option.name}`);
  if (option.kind === "checkbox") return field.checked;
  if (field.tagName === "SELECT") return JSON.parse(field.value);
  return field.value === "" ? null : Number(field.value);
}

// What was changed from the preset; the server knows the rest.
function rulesBody() {
  const preset = presetOf();
  const options = {};
  for (const option of FORM.options[preset.game]) {
    const value = optionValue(option);
    if (value !== preset.rules[option.name]) options[option.name] = value;
  }
  const body = { preset: preset.name, options };
  if (preset.game === "war") body.play_on = byId("play_on").checked;
  return body;
}

function gameBody() {
  const body = rulesBody();
  const seed = byId("seed").value.trim();
  if (seed) body.seed = /^\d+$/.test(seed) ? Number(seed) : seed;
  if (presetOf().game === "war") {
    body.seat = Number(byId("seat").value);
    body.opponents = [...byId("opponents").querySelectorAll("select")].map((field) => field.value);
  }
  return body;
}

function showOpponents(seats, hasChoices, strongest) {
  const before = [...byId("opponents").querySelectorAll("select")].map((field) => field.value);
  const fields = [];
  for (let k = 0; k < seats - 1; k += 1) {
    const field = element("select", { id: `opponent_${k}` });
    for (const agent of agents) field.append(element("option", { value: agent.name, title: agent.description }, agent.name));
    const wanted = before[k] || before[0] || "reserve";
    field.value = agents.some((agent) => agent.name === wanted) ? wanted : agents[0].name;
    fields.push(labelled(seats > 2 ? `Opponent ${k + 1}` : "Opponent", field, "who plays this seat"));
  }
  byId("opponents").replaceChildren(...fields);
  byId("advisor").textContent = `Hints come from ${strongest}, the strongest agent there is for these rules.`;
  byId("opponents_box").hidden = !fields.length || !hasChoices;
  const seat = byId("seat").value;
  byId("seat").replaceChildren(...Array.from({ length: seats }, (_, k) => element("option", { value: k }, String(k))));
  byId("seat").value = seat < seats && seat !== "" ? seat : "0";
  byId("seat_label").hidden = seats < 2;
}

async function checkForm() {
  checks += 1;
  const mine = checks;
  const answer = await ask("POST", "/api/check", rulesBody());
  if (mine !== checks) return;
  const problem = answer.ok ? answer.data.problem : answer.data.error;
  byId("problem").textContent = problem || "";
  byId("deal").disabled = Boolean(problem);
  if (problem) return;
  agents = answer.data.agents;
  showOpponents(answer.data.seats, answer.data.has_choices, answer.data.strongest);
}

function openDialog() {
  byId("cancel").hidden = game.id === null;
  byId("dialog").showModal();
  byId("preset").focus();
}

function startDialog() {
  for (const preset of FORM.presets) {
    byId("preset").append(element("option", { value: preset.name }, `${words(preset.name)} – ${preset.title}`));
  }
  byId("preset").value = FORM.first_preset;
  byId("preset").addEventListener("change", () => { showOptions(); checkForm(); });
  for (const name of ["main_options", "more_options"]) byId(name).addEventListener("change", checkForm);
  byId("cancel").addEventListener("click", () => byId("dialog").close());
  byId("dialog").addEventListener("cancel", (event) => { if (game.id === null) event.preventDefault(); });
  byId("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = await newGame(gameBody());
    byId("problem").textContent = problem || "";
    if (problem) return;
    byId("dialog").close(); // gives the focus back to what had it before
    focusOnMove();
  });
  showOptions();
  return checkForm();
}

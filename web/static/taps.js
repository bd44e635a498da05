// Taps and forms: each sends what an open prompt offered, once. The table decides what comes of it.
import { freshen, id } from "/static/live.js";

const body = document.body;
const data = body.dataset;
const spoken = number => number.toLocaleString(document.documentElement.lang);

const PATIENCE_MS = 6000; // an answer that takes longer does not come
const BACK_MS = 15000; // how long a tap waits for the connection to come back

// What is tapped without a connection is not sent, and that is said. What was on its way when the connection broke is
// sent once more when it is back: its id makes the table count it once. What the table was too busy to answer keeps its
// id when it is tapped again, until the page shows what came of it.
const unanswered = new Map();
document.addEventListener("settled", () => unanswered.clear());
export async function send(method, url, payload) {
  if (body.classList.contains("offline")) {
    toast(data.notSent || "");
    return null;
  }
  const tapped = JSON.stringify([method, url, { ...payload, id: null }]);
  if (unanswered.has(tapped)) payload.id = unanswered.get(tapped);
  let answer = await asked(method, url, payload);
  if (!answer && payload.id && data.kind && (await heardAgain())) answer = await asked(method, url, payload);
  if (payload.id && answer && answer.status === 503) unanswered.set(tapped, payload.id);
  else unanswered.delete(tapped);
  if (!answer) toast(data.noAnswer || "");
  else if (!answer.ok) toast(answer.said.message, answer.said.rule);
  return answer && answer.ok ? answer.said : null;
}
async function asked(method, url, payload) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(url, {
      method,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(payload),
      signal: patience.signal,
    });
    return { ok: answer.ok, status: answer.status, said: await answer.json() };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
function heardAgain() {
  return new Promise(done => {
    const back = () => settle(true);
    const timer = setTimeout(() => settle(false), BACK_MS);
    function settle(is) {
      clearTimeout(timer);
      document.removeEventListener("heard", back);
      done(is);
    }
    document.addEventListener("heard", back);
  });
}
export function toast(message, rule) {
  const sign = document.getElementById("toast");
  (document.querySelector("dialog.curtain") || body).append(sign);
  sign.textContent = message + " ";
  if (rule) {
    const link = document.createElement("a");
    link.href = "/rules#" + rule;
    link.textContent = rule;
    link.className = "rule";
    sign.append(link);
  }
  sign.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => {
    sign.hidden = true;
  }, 6000);
}
const busy = new Set();
async function once(key, work) {
  if (busy.has(key) || body.classList.contains("fresh")) return null;
  busy.add(key);
  try {
    return await work();
  } finally {
    busy.delete(key);
  }
}
export const act = (prompt, action) =>
  once(prompt, () => send("POST", "/api/v1/actions", { id: id(), prompt, action }));

// What cannot be taken back says so and asks for a second tap, which no hurried double tap is; a tap elsewhere calls it off.
let doubted = null;
function sure(button) {
  if (doubted && doubted.button !== button && doubted.button.matches(".sure")) {
    doubted.button.classList.remove("sure");
    doubted.button.innerHTML = doubted.label;
  }
  if (!button || !button.dataset.sure || button.matches(".sure")) return true;
  if (body.classList.contains("fresh")) return false;
  doubted = { button, label: button.innerHTML };
  button.classList.add("sure");
  button.textContent = button.dataset.sure;
  freshen();
  return false;
}
document.addEventListener("click", async event => {
  const target = event.target.closest("button");
  if (!sure(target) || !target || target.disabled) return;
  const d = target.dataset;
  if (d.api) {
    const [method, url] = d.api.split(" ");
    const done = await once(d.api, () =>
      send(method, url, { ...(d.noId ? {} : { id: id() }), ...JSON.parse(d.send || "{}") }),
    );
    if (done && d.then) location.assign(d.then);
  } else if (d.chance) {
    once(d.chance, () =>
      send("POST", "/api/v1/chance", { id: id(), prompt: d.chance, seat: d.seat === "" ? null : Number(d.seat) }),
    );
  } else if (d.send && d.prompt) {
    act(d.prompt, JSON.parse(d.send));
  } else if (target.matches(".chip") && target.closest("[data-many]")) {
    choose(target);
  } else if (d.step && target.closest("[data-many]")) {
    count(target);
  } else if (d.key) {
    press(target);
  }
});
// A form answers a prompt: its data-action, and on top of it every field that is filled in (docs/web.md, "Forms").
const within = (form, what) => [...(form.matches(what) ? [form] : []), ...form.querySelectorAll(what)];
const valueOf = thing => ("json" in thing.dataset ? JSON.parse(thing.dataset.json) : thing.dataset.value);

// A list: chips that are chosen, numbered in the order in which they were tapped (so cards lie on the table), and things
// that repeat: each [data-value] or [data-json] with its own [data-count], which may add its worth to [data-sum].
const chosen = list =>
  Array.from(list.querySelectorAll("[aria-pressed=true]")).sort((a, b) => a.dataset.nth - b.dataset.nth);
const counts = list => Array.from(list.querySelectorAll("[data-count]"));
const counted = one => Number(one.textContent);
const thingOf = inner => inner.closest("[data-value], [data-json]");
function listed(list) {
  const values = chosen(list).map(valueOf);
  for (const one of counts(list)) values.push(...Array(counted(one)).fill(valueOf(thingOf(one))));
  return values;
}
const sorted = values => JSON.stringify([...values].map(value => JSON.stringify(value)).sort());
function enough(list) {
  const values = listed(list);
  const d = list.dataset;
  if (values.length < Number(d.atLeast || 0) || values.length > Number(d.atMost)) return false;
  return !JSON.parse(d.butNot || "[]").some(other => sorted(other) === sorted(values));
}
function count(button) {
  const list = button.closest("[data-many]");
  const by = Number(button.dataset.step);
  const all = counts(list).reduce((sum, one) => sum + counted(one), 0);
  const mine = thingOf(button).querySelector("[data-count]");
  const most = Number(mine.dataset.most || list.dataset.atMost);
  if ((by > 0 && (all >= Number(list.dataset.atMost) || counted(mine) >= most)) || counted(mine) + by < 0) return;
  mine.textContent = counted(mine) + by;
  mine.classList.toggle("some", counted(mine) > 0);
  const sum = list.querySelector("[data-sum]");
  if (sum)
    sum.textContent = spoken(
      counts(list).reduce((worth, one) => worth + counted(one) * Number(one.dataset.worth || 0), 0),
    );
  review(list.closest("form"));
}
function choose(chip) {
  const list = chip.closest("[data-many]");
  const on = chip.getAttribute("aria-pressed") !== "true";
  if ("one" in list.dataset) for (const other of chosen(list)) other.setAttribute("aria-pressed", false);
  const before = chosen(list);
  if (on && before.length >= Number(list.dataset.atMost)) {
    if (before.length > 1) return;
    // Where there is one to choose, another one takes its place.
    before.pop().setAttribute("aria-pressed", false);
  }
  chip.setAttribute("aria-pressed", on);
  chip.dataset.nth = before.length + 1;
  chosen(list).forEach((one, place) => {
    one.dataset.nth = place + 1;
  });
  review(list.closest("form"));
}

// A number on a keypad: null while it is none, or none that is asked for.
const DIGITS_MOST = 6;
function number(pad) {
  const d = pad.dataset;
  const text = pad.querySelector("[data-digits]").textContent.replace(",", ".").replace("−", "-");
  const typed = Number(text);
  if (!/\d/.test(text) || !Number.isFinite(typed) || ("whole" in d && !Number.isInteger(typed))) return null;
  if (("least" in d && typed < Number(d.least)) || ("most" in d && typed > Number(d.most))) return null;
  return typed;
}
// Keys type into a keypad's digits, or into the text beside them.
function press(key) {
  const sign = key.dataset.key;
  const keys = key.closest("[data-keys]");
  if (keys) {
    type(keys, sign);
  } else {
    const pad = key.closest("[data-keypad]");
    const digits = pad.querySelector("[data-digits]");
    const text = digits.textContent;
    if (sign === "⌫") digits.textContent = text.slice(0, -1);
    else if (sign === "−") digits.textContent = text.startsWith("−") ? text.slice(1) : "−" + text;
    else digits.textContent = (text + sign).slice(0, Number(pad.dataset.signs || DIGITS_MOST));
  }
  review(key.closest("form"));
}
function type(keys, sign) {
  const field = keys.querySelector("[data-text]");
  if (sign === "⇧") keys.classList.toggle("upper");
  else if (sign === "⌫") field.value = Array.from(field.value).slice(0, -1).join("");
  else field.value += keys.classList.contains("upper") && sign !== "ß" ? sign.toUpperCase() : sign;
}

// What can be sent is open to be sent; its label says whether anything was chosen.
function review(form) {
  const lists = within(form, "[data-many]");
  const pads = within(form, "[data-keypad]");
  const confirm = form.querySelector("[type=submit]");
  const label = confirm.querySelector("[data-none]");
  const some = lists.some(list => listed(list).length >= Math.max(1, Number(list.dataset.atLeast || 0)));
  if (label) label.textContent = some ? label.dataset.some : label.dataset.none;
  confirm.disabled = !lists.every(enough) || pads.some(pad => number(pad) === null) || !form.checkValidity();
}
function answered(form) {
  const fields = {};
  for (const list of within(form, "[data-many]"))
    fields[list.dataset.many] = "one" in list.dataset ? listed(list)[0] : listed(list);
  for (const pad of within(form, "[data-keypad]")) fields[pad.dataset.keypad] = number(pad);
  for (const input of form.querySelectorAll("input:checked")) fields[input.name] = JSON.parse(input.value);
  for (const input of form.querySelectorAll("input[data-text]")) fields[input.name] = input.value;
  return fields;
}
for (const sign of ["input", "change"])
  document.addEventListener(sign, event => {
    const form = event.target.closest("form[data-action]");
    if (form) review(form);
  });
document.addEventListener("submit", event => {
  const form = event.target;
  const d = form.dataset;
  if ("command" in d) {
    event.preventDefault();
    once(d.many, () => send("POST", "/api/v1/commands", { id: id(), name: [d.many, ...listed(form)].join(".") }));
  } else if ("action" in d) {
    event.preventDefault();
    review(form);
    if (form.querySelector("[type=submit]").disabled) return;
    const action = { ...JSON.parse(d.action), ...answered(form) };
    for (const digits of form.querySelectorAll("[data-digits]")) digits.textContent = "";
    if ("preview" in d) location.search = "?action=" + encodeURIComponent(JSON.stringify(action));
    else act(d.prompt, action);
  }
});
document.addEventListener("contextmenu", event => {
  if (data.kind === "kiosk") event.preventDefault();
});

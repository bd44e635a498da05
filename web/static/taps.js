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
// A list in which things repeat: each [data-value] has its own [data-count], and may add its worth to [data-sum].
function count(button) {
  const form = button.closest("[data-many]");
  const by = Number(button.dataset.step);
  const counts = Array.from(form.querySelectorAll("[data-count]"));
  const number = one => Number(one.textContent);
  const all = counts.reduce((sum, one) => sum + number(one), 0);
  const mine = button.closest("[data-value]").querySelector("[data-count]");
  const most = Number(mine.dataset.most || form.dataset.atMost);
  if ((by > 0 && (all >= Number(form.dataset.atMost) || number(mine) >= most)) || number(mine) + by < 0) return;
  mine.textContent = number(mine) + by;
  mine.classList.toggle("some", number(mine) > 0);
  const label = form.querySelector(".confirm span");
  const sum = form.querySelector("[data-sum]");
  label.textContent = all + by ? label.dataset.some : label.dataset.none;
  label.parentElement.disabled = all + by < Number(form.dataset.atLeast || 0);
  if (sum)
    sum.textContent = spoken(counts.reduce((worth, one) => worth + number(one) * Number(one.dataset.worth || 0), 0));
}
// Chosen chips are numbered in the order in which they were tapped: so cards lie on the table.
const chosen = form =>
  Array.from(form.querySelectorAll("[aria-pressed=true]")).sort((a, b) => a.dataset.nth - b.dataset.nth);
function choose(chip) {
  const form = chip.closest("[data-many]");
  const least = Number(form.dataset.atLeast || 0);
  const on = chip.getAttribute("aria-pressed") !== "true";
  if ("one" in form.dataset) for (const other of chosen(form)) other.setAttribute("aria-pressed", false);
  const before = chosen(form);
  if (on && before.length >= Number(form.dataset.atMost)) {
    if (before.length > 1) return;
    // Where there is one to choose, another one takes its place.
    before.pop().setAttribute("aria-pressed", false);
  }
  chip.setAttribute("aria-pressed", on);
  chip.dataset.nth = before.length + 1;
  const now = chosen(form);
  const label = form.querySelector(".confirm span");
  const enough = now.length >= Math.max(1, least);
  now.forEach((one, place) => {
    one.dataset.nth = place + 1;
  });
  label.textContent = enough ? label.dataset.some : label.dataset.none;
  label.parentElement.disabled = now.length < least;
}
function press(key) {
  const digits = key.closest("form").querySelector("[data-digits]");
  const sign = key.dataset.key;
  const text = digits.textContent;
  digits.textContent = sign === "⌫" ? text.slice(0, -1) : (text + sign).slice(0, 6);
}
document.addEventListener("submit", event => {
  const form = event.target;
  const d = form.dataset;
  if (d.many) {
    event.preventDefault();
    const values = chosen(form).map(chip => chip.dataset.value);
    for (const one of form.querySelectorAll("[data-count]"))
      values.push(...Array(Number(one.textContent)).fill(one.closest("[data-value]").dataset.value));
    const action = { ...JSON.parse(d.action || "{}"), [d.many]: "one" in d ? values[0] : values };
    if ("command" in d)
      once(d.many, () => send("POST", "/api/v1/commands", { id: id(), name: [d.many, ...values].join(".") }));
    else if ("preview" in d) location.search = "?action=" + encodeURIComponent(JSON.stringify(action));
    else act(d.prompt, action);
  } else if ("picks" in d) {
    event.preventDefault();
    const picked = Object.fromEntries(Array.from(new FormData(form), ([name, value]) => [name, Number(value)]));
    act(d.prompt, { ...JSON.parse(d.action), ...picked });
  } else if (d.keypad) {
    event.preventDefault();
    const digits = form.querySelector("[data-digits]");
    const number = Number(digits.textContent);
    digits.textContent = "";
    const chosenToo = Array.from(form.querySelectorAll("input:checked"), one => JSON.parse(one.value));
    if (Number.isFinite(number)) act(d.prompt, Object.assign(JSON.parse(d.action), ...chosenToo, { [d.keypad]: number }));
  }
});
document.addEventListener("contextmenu", event => {
  if (data.kind === "kiosk") event.preventDefault();
});

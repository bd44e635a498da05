// Forms that are filled in with chips, counters, keypads and keys, and the check whether they can be sent.
const spoken = number => number.toLocaleString(document.documentElement.lang);

// A form's answer to a prompt is its data-action plus every field that is filled in (docs/web.md, "Forms").
const within = (form, what) => [...(form.matches(what) ? [form] : []), ...form.querySelectorAll(what)];
const valueOf = thing => ("json" in thing.dataset ? JSON.parse(thing.dataset.json) : thing.dataset.value);

// A list consists of chosen chips in the order of the taps (the order of cards on the table), and of repeatable things:
// each [data-value] or [data-json] has its own [data-count], and [data-sum] shows the sum of counts times data-worth.
const chosen = list =>
  Array.from(list.querySelectorAll("[aria-pressed=true]")).sort((a, b) => a.dataset.nth - b.dataset.nth);
const counts = list => Array.from(list.querySelectorAll("[data-count]"));
const counted = one => Number(one.textContent);
const thingOf = inner => inner.closest("[data-value], [data-json]");
export function listed(list) {
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
export function count(button) {
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
export function choose(chip) {
  const list = chip.closest("[data-many]");
  const on = chip.getAttribute("aria-pressed") !== "true";
  if ("one" in list.dataset) for (const other of chosen(list)) other.setAttribute("aria-pressed", false);
  const before = chosen(list);
  if (on && before.length >= Number(list.dataset.atMost)) {
    if (before.length > 1) return;
    // If only one can be chosen, the new one replaces it.
    before.pop().setAttribute("aria-pressed", false);
  }
  chip.setAttribute("aria-pressed", on);
  chip.dataset.nth = before.length + 1;
  chosen(list).forEach((one, place) => {
    one.dataset.nth = place + 1;
  });
  review(list.closest("form"));
}

// Returns the number on a keypad; null while it is not a number or not allowed.
const DIGITS_MOST = 6;
function number(pad) {
  const d = pad.dataset;
  const text = pad.querySelector("[data-digits]").textContent.replace(",", ".").replace("−", "-");
  const typed = Number(text);
  if (!/\d/.test(text) || !Number.isFinite(typed) || ("whole" in d && !Number.isInteger(typed))) return null;
  if (("least" in d && typed < Number(d.least)) || ("most" in d && typed > Number(d.most))) return null;
  return typed;
}
// Types a key into a keypad's digits, or into the text field beside the keys.
export function press(key) {
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

// Enables the submit button if the form can be sent. Its label says whether anything was chosen.
export function review(form) {
  const lists = within(form, "[data-many]");
  const pads = within(form, "[data-keypad]");
  const confirm = form.querySelector("[type=submit]");
  const label = confirm.querySelector("[data-none]");
  const some = lists.some(list => listed(list).length >= Math.max(1, Number(list.dataset.atLeast || 0)));
  if (label) label.textContent = some ? label.dataset.some : label.dataset.none;
  confirm.disabled = !lists.every(enough) || pads.some(pad => number(pad) === null) || !form.checkValidity();
}
export function answered(form) {
  const fields = {};
  for (const list of within(form, "[data-many]"))
    fields[list.dataset.many] = "one" in list.dataset ? listed(list)[0] : listed(list);
  for (const pad of within(form, "[data-keypad]")) fields[pad.dataset.keypad] = number(pad);
  for (const input of form.querySelectorAll("input:checked")) fields[input.name] = JSON.parse(input.value);
  for (const input of form.querySelectorAll("input[data-text]")) fields[input.name] = input.value;
  return fields;
}
// Clears the digits of a number that is being sent, for the next one. Returns a function that restores them.
export function empty(form) {
  const typed = Array.from(form.querySelectorAll("[data-digits]"), digits => [digits, digits.textContent]);
  for (const [digits] of typed) digits.textContent = "";
  return () => {
    for (const [digits, text] of typed) digits.textContent ||= text;
    review(form);
  };
}
for (const sign of ["input", "change"])
  document.addEventListener(sign, event => {
    const form = event.target.closest("form[data-action]");
    if (form) review(form);
  });

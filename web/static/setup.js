// The set-up page: seats, names without a keyboard, options.
import { ask } from "/static/ask.js";
import { askName } from "/static/keyboard.js";
import { id } from "/static/live.js";
import { choose, forget, says, seat, turn } from "/static/guests.js";
import { send } from "/static/send.js";
import { keep, kept } from "/static/storage.js";

const form = document.querySelector("[data-setup]");
const cards = () => Array.from(form.querySelectorAll("[data-player]"));

function switchOn(card, on) {
  card.dataset.on = on ? "1" : "";
  card.querySelector("[data-toggle]").setAttribute("aria-pressed", on);
  const oldest = card.querySelector("[name=oldest]");
  if (!on && oldest.checked) {
    const other = cards().find(one => one.dataset.on);
    if (other) other.querySelector("[name=oldest]").checked = true;
  }
}
document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("toggle" in button.dataset) {
    const card = button.closest("[data-player]");
    switchOn(card, !card.dataset.on);
  } else if ("name" in button.dataset) {
    const text = button.textContent === button.dataset.default ? "" : button.textContent;
    askName(text, name => {
      button.textContent = name || button.dataset.default;
      switchOn(button.closest("[data-player]"), true);
    });
  } else if (button.dataset.move) {
    const card = button.closest("[data-player]");
    const all = cards();
    const at = all.indexOf(card);
    const beside = all[at + Number(button.dataset.move)];
    if (beside) button.dataset.move === "1" ? beside.after(card) : beside.before(card);
    button.focus(); // an element that is moved loses it
  } else if ("rules" in button.dataset) choose(form, JSON.parse(button.dataset.rules));
  else if ("saveRules" in button.dataset)
    askName("", async name => {
      const body = { game: form.dataset.setup, name, options: options() };
      if (name && (await send("PUT", "/api/v1/house_rules", body))) showRules();
    });
  else if ("new" in button.dataset) button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
  else if ("turn" in button.dataset) turn(form);
  else if ("forget" in button.dataset) forget(form);
});

// On a large screen the house rules are unfolded if they have room (screens.css).
const more = form.querySelector("details.more");
if (more && matchMedia("(min-width: 1600px) and (min-height: 900px)").matches) {
  more.open = true;
  more.open = document.documentElement.scrollHeight <= innerHeight;
}

// Updates only the list of saved house rules. The chosen players and options stay.
async function showRules() {
  const answer = await ask(location.href);
  if (!answer || !answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.body.text(), "text/html");
  form.querySelector("[data-house-rules]").replaceWith(page.querySelector("[data-house-rules]"));
}
form.addEventListener("done", showRules);

// Amounts are typed on a keypad, one after the other. Parts of the form open when they are chosen.
const pad = document.getElementById("digits");
let filling = null;
function fill(amount) {
  filling = amount;
  if (!amount) {
    pad.close();
    return;
  }
  pad.querySelector("[data-typed]").textContent = "";
  pad.dataset.for = document.getElementById(amount.getAttribute("aria-labelledby").split(" ")[0]).textContent;
  for (const other of form.querySelectorAll("[data-amount]")) other.classList.toggle("filling", other === amount);
  if (!pad.open) pad.showModal();
}
if (pad)
  pad.addEventListener("click", event => {
    const digit = event.target.dataset.digit;
    const shown = pad.querySelector("[data-typed]");
    if (!digit) {
      if (event.target === pad) pad.close();
      return;
    }
    if (digit !== "⏎") {
      shown.textContent = digit === "⌫" ? shown.textContent.slice(0, -1) : (shown.textContent + digit).slice(0, 6);
      return;
    }
    if (shown.textContent) filling.textContent = Number(shown.textContent);
    const all = Array.from(form.querySelectorAll("[data-amount]"));
    fill(all.slice(all.indexOf(filling) + 1).find(one => !one.textContent));
  });
// The browser stores the amounts, so that the values of a table's own board are typed only once.
const place = "amounts." + form.dataset.setup;
const amounts = () => Array.from(form.querySelectorAll("[data-path]"));
try {
  const known = JSON.parse(kept(place)) || {};
  for (const amount of amounts()) amount.textContent = known[amount.dataset.path] || amount.textContent;
} catch {
  keep(place, "null");
}
form.addEventListener("submit", () =>
  keep(place, JSON.stringify(Object.fromEntries(amounts().map(one => [one.dataset.path, one.textContent])))),
);
form.addEventListener("click", event => {
  if (event.target.matches("[data-amount]")) fill(event.target);
});
form.addEventListener("change", () => {
  for (const input of form.querySelectorAll("[data-opens]"))
    document.getElementById(input.dataset.opens).hidden = !input.checked;
});

// Returns the chosen options in the form that the API expects.
function options() {
  const chosen = {};
  for (const input of form.querySelectorAll("[data-option]:checked, [data-options]:checked"))
    Object.assign(chosen, says(input));
  for (const amount of form.querySelectorAll("[data-path]"))
    if (!amount.closest("[hidden]") && amount.textContent) {
      const steps = amount.dataset.path.split(".");
      const last = steps.pop();
      let at = chosen;
      for (const step of steps) at = at[step] ||= {};
      at[last] = Number(amount.textContent);
    }
  return chosen;
}

const guests = form.querySelector("[data-guests]");
if (guests) {
  seat(form, JSON.parse(guests.dataset.guests), switchOn);
  choose(form, JSON.parse(guests.dataset.options));
}

form.addEventListener("submit", async event => {
  event.preventDefault();
  const taking = cards().filter(card => card.dataset.on);
  const players = taking.map(card => ({
    name: card.querySelector("[data-name]").textContent,
    ...JSON.parse(card.dataset.brings || "{}"),
  }));
  const oldest = Math.max(
    0,
    taking.findIndex(card => card.querySelector("[name=oldest]").checked),
  );
  form.dataset.id ||= id();
  const opened = await send("POST", "/api/v1/games", {
    id: form.dataset.id,
    game: form.dataset.setup,
    players,
    oldest,
    options: options(),
  });
  if (opened) {
    const explain = form.querySelector("[data-new][aria-pressed=true]") ? players.keys() : [];
    for (const seat of explain) await send("PUT", `/api/v1/seats/${seat}/lessons`, { on: true });
    location.assign("/kiosk");
  } else delete form.dataset.id;
});
// A page that the browser kept whole comes back with the id of the game that it opened.
addEventListener("pageshow", event => {
  if (event.persisted) delete form.dataset.id;
});

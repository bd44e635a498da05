// Taps and forms: each sends an answer that an open prompt offers, once. The table decides about its effect.
import { answered, choose, count, empty, listed, press, review } from "/static/forms.js";
import { freshen, id } from "/static/live.js";
import { send, toast, waiting } from "/static/send.js";

const body = document.body;

const busy = new Set();
// Runs `work`, unless work of the same key runs or the page has just changed: then the result is null.
export async function once(key, work) {
  if (busy.has(key)) waiting();
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

// A button for something irreversible asks for a second tap. A double tap does not count; a tap elsewhere cancels it.
let doubted = null;
function sure(button) {
  if (doubted && doubted.button !== button && doubted.button.matches(".sure")) {
    doubted.button.classList.remove("sure");
    doubted.button.innerHTML = doubted.label;
  }
  if (!button || !button.dataset.sure) return true;
  if (body.classList.contains("fresh")) return false;
  if (button.matches(".sure")) return true;
  doubted = { button, label: button.innerHTML };
  button.classList.add("sure");
  button.textContent = button.dataset.sure;
  freshen();
  return false;
}
document.addEventListener("click", async event => {
  const target = event.target.closest("button");
  if (!sure(target)) {
    // Otherwise the form around the button would be submitted.
    event.preventDefault();
    return;
  }
  if (!target || target.disabled) return;
  const d = target.dataset;
  if (d.api) {
    const [method, url] = d.api.split(" ");
    // What this page shows does not hold any more: the same is shown anew, and says so.
    const anew = code => code === "game_went_on" && d.wentOn && location.assign(d.wentOn);
    const done = await once(d.api, () =>
      send(method, url, { ...(d.noId ? {} : { id: id() }), ...JSON.parse(d.send || "{}") }, anew),
    );
    if (done && d.then) location.assign(d.then);
    else if (done) target.dispatchEvent(new Event("done", { bubbles: true }));
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
// A key that is held presses once, as a finger does. Repeated, it would confirm what a button asks.
document.addEventListener("keydown", event => {
  if (event.repeat && event.key === "Enter" && event.target.closest("button")) event.preventDefault();
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
    const { prompt } = d;
    const typeAgain = empty(form);
    if ("preview" in d) location.search = "?action=" + encodeURIComponent(JSON.stringify(action));
    else
      act(prompt, action).then(done => {
        if (!done && d.prompt === prompt) typeAgain();
      });
  }
});
// A form that the browser sends itself is sent once: a double tap would send it again before the next page is there.
// A page may have words for an answer that takes long.
const LONG_MS = 3000;
const UNANSWERED_MS = 15000;
let sent = false;
const mayBeSent = () => {
  sent = false;
  for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
};
addEventListener("submit", event => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  if (sent) return event.preventDefault();
  event.submitter?.setAttribute("aria-busy", "true");
  sent = true;
  setTimeout(mayBeSent, UNANSWERED_MS);
  setTimeout(() => sent && body.dataset.takesLong && toast(body.dataset.takesLong), LONG_MS);
});
// A page that the browser kept whole is sent from again.
addEventListener("pageshow", event => {
  if (event.persisted) mayBeSent();
});
// A long press on the touchscreen opens no menu, whose new window nobody could close, and drags no link. On the appliance
// itself, which is `localhost`, that holds for every page.
for (const sign of ["contextmenu", "dragstart"])
  document.addEventListener(sign, event => {
    if (body.dataset.kind === "kiosk" || location.hostname === "localhost") event.preventDefault();
  });
// Controls that need a script are inert until all scripts have run. An earlier tap would be lost or sent unconfirmed.
document.addEventListener("DOMContentLoaded", () => {
  for (const deaf of document.querySelectorAll("[inert]")) {
    deaf.inert = false;
    deaf.querySelector("[autofocus]")?.focus();
  }
});
// A page is loaded with the class `fresh`, which ignores taps until this script has run.
if (document.querySelector("[data-prompt]")) freshen();
else body.classList.remove("fresh");

// A private hand: its faces show only while a finger holds it. Its order is random, so that the place of a tap does not
// reveal a kind of card; [data-nth] tells a screen reader that place. On a phone the hand is in the page; the touchscreen
// fetches it behind a curtain.
import { ask } from "/static/ask.js";
import { freshen } from "/static/live.js";
import { toast } from "/static/send.js";

const TAP_MS = 250; // a shorter press chooses a card, a longer one looks
const body = document.body;
let timer;
let looked = false;
let tappedAt = -Infinity; // when a finger came down that may choose a card
const look = on => {
  clearTimeout(timer);
  looked = looked || on;
  body.classList.toggle("looking", on);
};
document.addEventListener("pointerdown", event => {
  looked = false;
  tappedAt = -Infinity;
  if (event.target.closest("[data-look]")) look(true);
  else if (event.target.closest("[data-private]")) {
    tappedAt = event.timeStamp;
    timer = setTimeout(look, TAP_MS, true);
  }
});
// A busy page may hear late that a finger has left. It chose a card all the same.
document.addEventListener("pointerup", event => {
  if (event.timeStamp - tappedAt < TAP_MS) looked = false;
});
for (const sign of ["pointerup", "pointercancel", "visibilitychange", "keyup"])
  document.addEventListener(sign, () => look(false));
addEventListener("blur", () => look(false));
document.addEventListener("keydown", event => {
  if (!event.target.closest("[data-look]") || (event.key !== " " && event.key !== "Enter")) return;
  event.preventDefault();
  look(true);
});
// Holding a card to look at it does not choose it.
document.addEventListener(
  "click",
  event => {
    if (looked && event.detail && event.target.closest("[data-private]")) event.stopPropagation();
  },
  true,
);
document.addEventListener("contextmenu", event => {
  if (event.target.closest("[data-private], [data-look]")) event.preventDefault();
});

function shuffle() {
  for (const list of document.querySelectorAll("[data-shuffle]:not([data-shuffled])")) {
    const cards = Array.from(list.children);
    const chances = crypto.getRandomValues(new Uint32Array(cards.length));
    for (let last = cards.length - 1; last > 0; last -= 1) {
      const other = chances[last] % (last + 1);
      [cards[last], cards[other]] = [cards[other], cards[last]];
    }
    list.append(...cards);
    list.dataset.shuffled = "";
    if (list.matches(".hand"))
      for (const [place, card] of cards.entries())
        for (const nth of card.querySelectorAll("[data-nth]")) nth.textContent = place + 1;
  }
}

// The curtain: [data-hold] is the address of the hand. The fetched hand is removed when the curtain closes.
let curtain = null;
async function open(button) {
  close();
  const sheet = (curtain = document.createElement("dialog"));
  sheet.className = "curtain";
  sheet.opener = `[data-hold="${button.dataset.hold}"][data-for="${button.dataset.for}"]`;
  sheet.setAttribute("aria-labelledby", "curtain-for");
  const answer = await ask(button.dataset.hold);
  const hand = answer && answer.ok ? await answer.body.text() : null;
  if (curtain !== sheet) return;
  if (hand === null) {
    curtain = null;
    if (!answer) toast(body.dataset.noAnswer);
    return;
  }
  sheet.innerHTML = hand;
  body.append(sheet);
  shuffle();
  sheet.showModal();
  // The close event is asynchronous: another curtain may be open by then.
  sheet.addEventListener("close", () => curtain === sheet && close());
  freshen();
}
function close() {
  look(false);
  if (!curtain) return;
  const sign = document.getElementById("toast");
  sign.hidden = true;
  body.append(sign);
  const sheet = curtain;
  curtain = null;
  // Closed before it is removed, so that the browser restores the focus.
  sheet.close();
  sheet.remove();
}
document.addEventListener("click", event => {
  const button = event.target.closest("[data-hold]");
  if (button) open(button);
  if (event.target.closest("[data-close]")) close();
});
document.addEventListener("dimmed", close);
// The back/forward cache may keep the page as it was left and show it again.
addEventListener("pagehide", close);
document.addEventListener("settled", () => {
  shuffle();
  if (curtain && !document.querySelector(curtain.opener)) close();
});
shuffle();

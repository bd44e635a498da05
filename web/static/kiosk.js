// The touchscreen: dims when nobody is there, and shows a hand while a finger holds it.
import { act, chosen, toast } from "/static/taps.js";

const dimmer = document.getElementById("dimmer");
if (dimmer) {
  const after = Number(document.body.dataset.dimAfterS) * 1000;
  let timer;
  const wake = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      dimmer.hidden = false;
    }, after);
  };
  dimmer.addEventListener("click", event => {
    event.stopPropagation();
    dimmer.hidden = true;
    wake();
  });
  for (const sign of ["pointerdown", "keydown"]) document.addEventListener(sign, wake);
  // News wakes it; a connection that was taken up anew brings none.
  let known;
  document.addEventListener("settled", () => {
    if (document.body.dataset.version === known) return;
    known = document.body.dataset.version;
    dimmer.hidden = true;
    wake();
  });
  wake();
}

// Hot seat: a hand is fetched when a finger comes down and thrown away when it lifts. What can be chosen in it is then
// chosen blind, by number: [data-back="2"] sends the second [data-send] of the hand that was looked at.
// Several at once, such as the cards of a convoy: the places of a [data-blind] list stand for the hand's [data-card]s.
let held = null;
let looked = null;
let faces = null;
async function look(button) {
  letGo();
  const sheet = (held = document.createElement("aside"));
  sheet.className = "held";
  button.classList.add("holding");
  const answer = await fetch(button.dataset.hold).catch(() => null);
  if (held !== sheet) return;
  if (!answer || !answer.ok) {
    letGo();
    return;
  }
  sheet.innerHTML = await answer.text();
  if (held !== sheet) return;
  document.body.append(sheet);
  looked = Array.from(sheet.querySelectorAll("[data-prompt][data-send]"), one =>
    one.disabled ? null : { prompt: one.dataset.prompt, action: one.dataset.send },
  );
  faces = Array.from(sheet.querySelectorAll("[data-card]"), one => one.dataset.card);
  for (const back of document.querySelectorAll("[data-back]")) back.disabled = !looked[Number(back.dataset.back) - 1];
}
function letGo() {
  if (held) held.remove();
  held = null;
  for (const button of document.querySelectorAll(".holding")) button.classList.remove("holding");
}
document.addEventListener("pointerdown", event => {
  const button = event.target.closest("[data-hold]");
  if (button) {
    event.preventDefault();
    look(button);
  }
});
for (const sign of ["pointerup", "pointercancel", "visibilitychange", "keyup"]) document.addEventListener(sign, letGo);
addEventListener("blur", letGo);
document.addEventListener("keydown", event => {
  const button = event.target.closest("[data-hold]");
  if (button && !event.repeat && (event.key === " " || event.key === "Enter")) {
    event.preventDefault();
    look(button);
  }
});
document.addEventListener("settled", () => {
  looked = faces = null;
  for (const back of document.querySelectorAll("[data-back]")) back.disabled = true;
});
document.addEventListener("click", event => {
  const back = event.target.closest("[data-back]");
  const choice = back && looked && looked[Number(back.dataset.back) - 1];
  if (choice) act(choice.prompt, JSON.parse(choice.action));
});
document.addEventListener("submit", event => {
  const list = event.target;
  const d = list.dataset;
  if (!d.blind) return;
  event.preventDefault();
  if (!faces) {
    toast(d.lookFirst);
    return;
  }
  const values = chosen(list).map(chip => faces[Number(chip.dataset.place)]);
  act(d.prompt, { ...JSON.parse(d.action), [d.blind]: values });
});

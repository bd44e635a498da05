// The phone: cards lie face down until a thumb rests on them; a short tap chooses one by its number.
const TAP_MS = 300; // a shorter press is a tap
let pressed = 0;
let card = null;
const show = on => {
  for (const hand of document.querySelectorAll("[data-peek]")) hand.classList.toggle("up", on);
};

function choose(pick) {
  for (const other of document.querySelectorAll("[data-pick]")) other.setAttribute("aria-pressed", other === pick);
  const go = document.querySelector("[data-label]");
  go.dataset.send = pick.dataset.pick;
  go.textContent = go.dataset.label.replace("{n}", pick.dataset.n);
  go.disabled = false;
}
document.addEventListener("pointerdown", event => {
  const own = event.target.closest(".own");
  if (!own) return;
  pressed = performance.now();
  card = event.target.closest("[data-pick]");
  show(true);
});
document.addEventListener("pointerup", event => {
  show(false);
  const pick = event.target.closest("[data-pick]");
  if (pick && pick === card && !pick.disabled && performance.now() - pressed < TAP_MS) choose(pick);
  card = null;
});
document.addEventListener("keydown", event => {
  const pick = event.target.closest("[data-pick]");
  if (pick && event.key === "Enter") choose(pick);
});
for (const sign of ["pointercancel", "visibilitychange"]) document.addEventListener(sign, () => show(false));
document.addEventListener("contextmenu", event => {
  if (event.target.closest(".own")) event.preventDefault();
});

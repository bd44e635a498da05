// Turns a screen black in the hours that the host chose, while no game is played. A touch wakes it for five minutes.
import { within } from "/static/hours.js";
const AWAKE_MS = 300_000;
const LOOK_MS = 5000;
const dark = document.getElementById("dark");
let wokenAt = -AWAKE_MS;

function look() {
  const rest = document.querySelector("[data-dark-from-h]");
  const awake = Math.abs(Date.now() - wokenAt) < AWAKE_MS;
  const off = !!rest && !awake && within(Number(rest.dataset.darkFromH), Number(rest.dataset.darkUntilH));
  if (off === !dark.hidden) return;
  dark.hidden = !off;
  if (off) document.dispatchEvent(new Event("dimmed"));
}
function wake() {
  wokenAt = Date.now();
}
dark.addEventListener("click", event => {
  // The touch that wakes the screen must not tap the page under the black.
  event.stopPropagation();
  look();
});
document.addEventListener("pointerdown", wake);
document.addEventListener("keydown", event => {
  // Nor must the key press what is under it.
  if (!dark.hidden) event.preventDefault();
  wake();
  look();
});
document.addEventListener("settled", look);
setInterval(look, LOOK_MS);
look();

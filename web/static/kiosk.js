// The touchscreen dims when nobody has touched it for a while.
import { freshen } from "/static/live.js";

const dimmer = document.getElementById("dimmer");
if (dimmer) {
  const after = Number(document.body.dataset.dimAfterS) * 1000;
  let timer;
  const wake = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      dimmer.hidden = false;
      document.dispatchEvent(new Event("dimmed"));
    }, after);
  };
  dimmer.addEventListener("click", event => {
    event.stopPropagation();
    dimmer.hidden = true;
    wake();
  });
  document.addEventListener("pointerdown", wake);
  // A key that wakes the screen presses nothing that could not be seen.
  document.addEventListener("keydown", event => {
    if (!dimmer.hidden) event.preventDefault();
    dimmer.hidden = true;
    wake();
  });
  // A change wakes the screen; a new connection alone does not. `freshen` ignores a tap that was meant to wake it.
  let known = document.body.dataset.version;
  document.addEventListener("settled", () => {
    if (document.body.dataset.version === known) return;
    known = document.body.dataset.version;
    if (!dimmer.hidden) freshen();
    dimmer.hidden = true;
    wake();
  });
  wake();
}

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
  for (const sign of ["pointerdown", "keydown"]) document.addEventListener(sign, wake);
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

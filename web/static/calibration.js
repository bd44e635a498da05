// The calibration page: fetches the panel again while a calibration runs, but not while a person chooses.
import { ask } from "/static/ask.js";

const desk = document.getElementById("desk");
const stage = () => desk.firstElementChild && desk.firstElementChild.dataset.stage;
let failed = 0;
async function look() {
  const before = stage();
  if (before === "running" || before === "asking") {
    const answer = await ask("/host/calibration/panel");
    // Without a network the page stays: loaded again, it would be the browser's own. A PIN is asked for on a whole page.
    if (answer) failed = answer.ok ? 0 : failed + 1;
    if (failed > 10 || (answer && answer.redirected)) {
      location.reload();
      return;
    }
    if (answer && answer.ok) {
      const page = document.createElement("div");
      page.innerHTML = await answer.body.text();
      const now = page.firstElementChild.dataset.stage;
      // An update would discard the person's choice.
      if (now !== "asking" || before !== "asking") Idiomorph.morph(desk, page.innerHTML, { morphStyle: "innerHTML" });
    }
  }
  setTimeout(look, 250);
}
look();

// The calibration page: fetches the panel again while a calibration runs, but not while a person chooses.
import { ask } from "/static/ask.js";

const desk = document.getElementById("desk");
const shown = () => (desk.firstElementChild ? desk.firstElementChild.dataset : {});
let failed = 0;
async function look() {
  const before = shown();
  if (before.stage !== "running" && before.stage !== "asking") return;
  const answer = await ask("/host/calibration/panel");
  // Without a network the page stays: loaded again, it would be the browser's own. A PIN is asked for on a whole page.
  if (answer) failed = answer.ok ? 0 : failed + 1;
  if (failed > 10 || (answer && answer.redirected)) {
    location.reload();
    return;
  }
  if (!answer || !answer.ok) return;
  const page = document.createElement("div");
  page.innerHTML = await answer.body.text();
  if (!page.firstElementChild) return;
  const now = page.firstElementChild.dataset;
  // An update would discard the person's choice.
  const same = now.stage === "asking" && before.stage === "asking" && now.question === before.question;
  if (!same) Idiomorph.morph(desk, page.innerHTML, { morphStyle: "innerHTML" });
}
async function again() {
  try {
    await look();
  } finally {
    setTimeout(again, 250);
  }
}
again();

// Fetches the list of seats again when the table has changed, and with the next message when a fetch has failed.
import { ask } from "/static/ask.js";

const list = document.getElementById("seats");
let asked = 0;
let shown = 0;
let failed = 0;
async function look() {
  const mine = ++asked;
  const answer = await ask("/seats");
  // Ignore an answer that arrives after the answer to a later request.
  if (mine < shown) return;
  if (!answer || !answer.ok) {
    failed = mine;
    return;
  }
  shown = mine;
  const page = new DOMParser().parseFromString(await answer.body.text(), "text/html");
  if (mine === shown) Idiomorph.morph(list, page.getElementById("seats").innerHTML, { morphStyle: "innerHTML" });
}
document.addEventListener("settled", look);
document.addEventListener("heard", () => failed === asked && failed > shown && look());

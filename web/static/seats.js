// Fetches the list of seats again when the table has changed.
const list = document.getElementById("seats");
let asked = 0;
let shown = 0;
document.addEventListener("settled", async () => {
  const mine = ++asked;
  const answer = await fetch("/seats").catch(() => null);
  const text = answer && answer.ok && await answer.text().catch(() => null);
  // Ignore an answer that arrives after the answer to a later request.
  if (!text || mine < shown) return;
  shown = mine;
  const page = new DOMParser().parseFromString(text, "text/html");
  Idiomorph.morph(list, page.getElementById("seats").innerHTML, { morphStyle: "innerHTML" });
});

// The list of seats, fetched again when the table changed.
const list = document.getElementById("seats");
let asked = 0;
let shown = 0;
document.addEventListener("settled", async () => {
  const mine = ++asked;
  const answer = await fetch("/seats").catch(() => null);
  const text = answer && answer.ok && await answer.text().catch(() => null);
  // An answer that a later one overtook tells of what is no more.
  if (!text || mine < shown) return;
  shown = mine;
  const page = new DOMParser().parseFromString(text, "text/html");
  Idiomorph.morph(list, page.getElementById("seats").innerHTML, { morphStyle: "innerHTML" });
});

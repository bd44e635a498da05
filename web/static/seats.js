// The list of seats, fetched again when the table changed.
const list = document.getElementById("seats");
let asked = 0;
document.addEventListener("settled", async () => {
  const mine = ++asked;
  const answer = await fetch("/seats").catch(() => null);
  if (!answer || !answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  // An answer that a later one overtook tells of what is no more.
  if (mine !== asked) return;
  Idiomorph.morph(list, page.getElementById("seats").innerHTML, { morphStyle: "innerHTML" });
});

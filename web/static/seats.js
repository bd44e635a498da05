// The list of seats, fetched again when the table changed.
const list = document.getElementById("seats");
document.addEventListener("settled", async () => {
  const answer = await fetch("/seats").catch(() => null);
  if (!answer || !answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  Idiomorph.morph(list, page.getElementById("seats").innerHTML, { morphStyle: "innerHTML" });
});

// The part of a page with `data-again` is fetched again every so many seconds, as long as somebody can see it.
const part = document.querySelector("[data-again]");
async function again() {
  if (document.hidden) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer || !answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector(part.tagName);
  if (fresh && !fresh.dataset.again) clearInterval(often);
  if (fresh) Idiomorph.morph(part, fresh.innerHTML, { morphStyle: "innerHTML" });
}
const often = setInterval(again, Number(part.dataset.again) * 1000);

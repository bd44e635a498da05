// The part of a page with `data-again` is fetched again every so many seconds, as long as somebody can see it.
// What was waited for is another page, or one without such a part.
const part = document.querySelector("[data-again]");
async function again() {
  if (document.hidden) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer || !answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("[data-again]");
  if (fresh && !answer.redirected) Idiomorph.morph(part, fresh.innerHTML, { morphStyle: "innerHTML" });
  else location.replace(answer.url);
}
setInterval(again, Number(part.dataset.again) * 1000);

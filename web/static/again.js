// Fetches the part of a page with `data-again` again every so many seconds, while the page is visible.
// The wait ends when the answer is another page, or one without such a part. A page may say in its part that what was
// asked for exists no more (404).
import { ask } from "/static/ask.js";
import { isAsking } from "/static/live.js";

const part = document.querySelector("[data-again]");
const morphing = {
  morphStyle: "innerHTML",
  callbacks: { beforeNodeMorphed: (old, fresh) => !(old.dataset && fresh.dataset && isAsking(old, fresh)) },
};
let asking = false;
async function again() {
  if (document.hidden || asking) return;
  asking = true;
  try {
    await look();
  } finally {
    asking = false;
  }
}
async function look() {
  const answer = await ask(location.href);
  const missing = answer && answer.status === 404;
  const text = answer && (answer.ok || missing) && (await answer.body.text());
  if (!text) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.querySelector("[data-again]");
  if (missing && !fresh) return;
  if (fresh && !answer.redirected) Idiomorph.morph(part, fresh.innerHTML, morphing);
  else location.replace(answer.url);
}
if (part) setInterval(again, Number(part.dataset.again) * 1000);

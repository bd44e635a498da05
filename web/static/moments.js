// Shows what has just happened (a moment) over the page, one at a time, and only while it is new. Games render moments
// hidden into their page. New moments replace those still shown; a game that goes on without any leaves only the last of
// those that wait, and shows it soon.
import { fly, land } from "/static/flights.js";
import { play, touched } from "/static/sound.js";

const stage = document.getElementById("stage");
const MOST = 6; // of one update's moments, only the last ones are shown
const LEAST_MS = 900; // each shows for so long
const seen = new Set();
const queue = [];
let newest;
let timer;
let shownAt;

// A page that was hidden or offline, or was just opened, shows the current state without moments.
function take(news) {
  const drawn = Array.from(document.querySelectorAll("[data-moment]")).filter(one => !seen.has(one.dataset.moment));
  for (const one of drawn) seen.add(one.dataset.moment);
  const before = newest;
  newest = document.querySelector("[data-newest]")?.dataset.newest;
  if (!news || document.hidden) return;
  if (drawn.length) {
    cut();
    queue.push(...drawn.slice(-MOST).map(one => one.cloneNode(true)));
    next();
  } else if (newest !== before && queue.length) hurry();
}
// What came of it all is told last.
function hurry() {
  while (queue.slice(1).some(one => one.dataset.kind)) queue.shift();
  clearTimeout(timer);
  timer = setTimeout(next, shownAt + LEAST_MS - performance.now());
}
function next() {
  clearTimeout(timer);
  const moment = queue.shift();
  stage.classList.toggle("on", Boolean(moment && moment.dataset.kind));
  stage.replaceChildren(...(moment ? [moment] : []));
  if (!moment) return;
  const { sound, vibrate, lasts } = moment.dataset;
  moment.removeAttribute("data-moment");
  moment.hidden = false;
  stage.dataset.shows = moment.dataset.kind || "";
  if (sound) play(sound);
  if (vibrate && navigator.vibrate && touched()) navigator.vibrate(vibrate.split(" ").map(Number));
  fly(moment);
  shownAt = performance.now();
  timer = setTimeout(next, Number(lasts));
}
function cut() {
  queue.length = 0;
  land();
  next();
}

if (stage) {
  take(false);
  document.addEventListener("settled", ({ detail }) => take(!(detail && detail.caughtUp)));
  document.addEventListener("visibilitychange", () => document.hidden && cut());
}

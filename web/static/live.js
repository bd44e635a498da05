// Keeps a page live: applies changed regions and runs timers.
import { ask as fetched } from "/static/ask.js";

const body = document.body;
const data = body.dataset;
const SILENCE_MS = 2600; // without a message for so long, the page says that it is offline (heartbeat: every 1.5 s)
const DEAD_MS = 6000; // a stream without messages for so long is opened again
const LOOK_MS = 300; // how often both are checked
const STREAMS_MOST = 4; // a browser opens six connections to one server: the rest are for taps and pages
const FRESH_MS = 350; // after a change, taps are ignored for so long: they were meant for the old controls
// The plain address shows the wall. A narrow screen is a phone, and is redirected to the seats.
if (data.narrow && matchMedia("(max-width: 700px)").matches) location.replace(data.narrow);
let stream = null;
let clock = null;
let heardAt = 0;
let caughtUp = true; // the first page of a stream shows the current state, not news
let promptsShown = "";
let freshTimer;

export const id = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, "0")).join("");
const byId = name => document.getElementById(name);

// The regions from the server.
const isKept = (old, fresh) => "keep" in old.dataset && old.id === fresh.id;
// A button that asks whether its reader is sure (taps.js) goes on asking while it offers the same.
const OFFER = ["sure", "prompt", "send", "api"];
export const isAsking = (old, fresh) =>
  old.matches(".sure") && !fresh.disabled && OFFER.every(key => old.dataset[key] === fresh.dataset[key]);
const morphing = {
  morphStyle: "innerHTML",
  callbacks: {
    beforeNodeMorphed: (old, fresh) => !(old.dataset && fresh.dataset && (isKept(old, fresh) || isAsking(old, fresh))),
    // Inline styles (positions) and opened details belong to the page and stay.
    beforeAttributeUpdated: name => name !== "style" && name !== "open",
  },
};
function show(page) {
  clock = { now: page.now_s, at: performance.now() / 1000, speed: page.speed };
  if (data.pageOf && page.page_of !== data.pageOf) {
    location.reload();
    return;
  }
  const focus = held();
  for (const [name, html] of Object.entries(page.regions)) {
    const region = byId("region-" + name);
    if (region) Idiomorph.morph(region, html, morphing);
  }
  data.version = page.version;
  settle();
  caughtUp = false;
  keepFocus(focus);
}
// If the focused element is gone or belongs to another prompt now, the focus moves to the headline. Otherwise it stays.
const askedBy = element => (element.closest("[data-prompt]") || { dataset: {} }).dataset.prompt;
function held() {
  const element = document.activeElement;
  const region = element && element.closest(".region");
  return region && { element, region, prompt: askedBy(element) };
}
function keepFocus(before) {
  if (!before) return;
  const { element, region, prompt } = before;
  const there = document.activeElement === element && !element.disabled && element.getClientRects().length;
  if (there && askedBy(element) === prompt) return;
  const place = region.querySelector("h1") || document.querySelector(".region h1") || document.querySelector("main");
  if (!place) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}
function settle() {
  for (const thing of document.querySelectorAll(".moves")) {
    thing.style.transform = `translate(${thing.dataset.x}px, ${thing.dataset.y}px)`;
  }
  const prompts = Array.from(document.querySelectorAll("[data-prompt]"), e => e.dataset.prompt).join();
  if (prompts !== promptsShown) freshen();
  promptsShown = prompts;
  centre();
  wind();
  if (!picturing && document.querySelector("[data-live]")) lookOn();
  document.dispatchEvent(new CustomEvent("settled", { detail: { caughtUp } }));
}
// Content larger than its frame is scrolled once, so that the marked place is in the middle. Then people scroll it.
const centred = new WeakMap();
// Safari has checkVisibility since 17.4.
const isShown = one => (one.checkVisibility ? one.checkVisibility() : one.getClientRects().length);
function centre() {
  for (const place of document.querySelectorAll(".pan [data-middle]")) {
    const pan = place.closest(".pan");
    if (!isShown(pan) || centred.get(pan) === place.dataset.middle) continue;
    centred.set(pan, place.dataset.middle);
    const [at, frame] = [place.getBoundingClientRect(), pan.getBoundingClientRect()];
    pan.scrollBy(at.left - frame.left - pan.clientWidth / 2, at.top - frame.top - pan.clientHeight / 2);
  }
}
document.addEventListener("toggle", centre, true);
export function freshen() {
  body.classList.add("fresh");
  clearTimeout(freshTimer);
  freshTimer = setTimeout(() => body.classList.remove("fresh"), FRESH_MS);
}

// The stream. Hidden pages close it. When it is lost, the page says so and opens it again. It is opened after every
// script of the page has run, because its first events are sent only once.
let listening = false;
addEventListener("DOMContentLoaded", () => {
  listening = true;
  connect();
});
function connect() {
  if (stream || !listening || document.hidden || !data.kind) return;
  caughtUp = true;
  const seat = data.seat === "" ? "" : "&seat=" + data.seat;
  stream = new EventSource(`/live?kind=${data.kind}${seat}`);
  body.classList.add("streaming");
  rest(false);
  ask();
  heardAt = Date.now();
  stream.addEventListener("page", event => {
    heard();
    show(JSON.parse(event.data));
  });
  stream.addEventListener("beat", heard);
  stream.addEventListener("roll", event => {
    heard();
    document.dispatchEvent(new CustomEvent("roll", { detail: JSON.parse(event.data) }));
  });
  stream.onopen = heard;
  stream.onerror = () => {
    caughtUp = true;
    lost(true);
    if (stream.readyState === EventSource.CLOSED) {
      refused(stream.url);
      stream = null;
    }
  };
}
// The server refused the stream. 403: the seat is no longer this phone's; the reloaded page says so. Else: try again.
async function refused(url) {
  const answer = await fetched(url, "HEAD");
  if (answer && answer.status === 403) location.reload();
  else setTimeout(connect, 1500);
}
function heard() {
  heardAt = Date.now();
  lost(false);
  document.dispatchEvent(new Event("heard"));
}
function letGo() {
  if (stream) stream.close();
  stream = null;
  body.classList.remove("streaming");
}
// Detects a connection that ended without an error. A clock that was set back counts as silence, too.
setInterval(() => {
  const silent = stream ? Math.abs(Date.now() - heardAt) : 0;
  if (silent > SILENCE_MS) lost(true);
  if (silent > DEAD_MS) takeAnew();
}, LOOK_MS);
function takeAnew() {
  letGo();
  connect();
}
addEventListener("offline", () => lost(true));
addEventListener("online", takeAnew);
// The pages of one browser share a channel. If too many have a stream, the oldest close theirs until they are tapped.
// Each new page asks the others to report, so that pages that were closed meanwhile do not count.
const pages = channel();
const page = id();
const newer = new Set();
let since = 0;
function channel() {
  try {
    return new BroadcastChannel("streams");
  } catch {
    return null; // an old browser, or one that keeps nothing for this address: Firefox refuses both alike
  }
}
function ask() {
  since = Date.now();
  newer.clear();
  if (pages) pages.postMessage({ page, since, asks: true });
}
if (pages)
  pages.onmessage = ({ data: other }) => {
    if (!stream) return;
    if (other.asks) {
      newer.clear();
      pages.postMessage({ page, since });
    }
    if (other.since > since) newer.add(other.page);
    if (newer.size >= STREAMS_MOST) {
      letGo();
      rest(true);
    }
  };
function rest(is) {
  const sign = byId("resting");
  if (sign) sign.hidden = !is;
  body.classList.toggle("resting", is);
}
addEventListener("focus", connect);
document.addEventListener("pointerdown", connect);
function lost(is) {
  if (body.classList.contains("offline") === is) return;
  const sign = byId("connection");
  if (sign) sign.hidden = !is;
  body.classList.toggle("offline", is);
  if (is) document.dispatchEvent(new Event("lost"));
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) letGo();
  else connect();
});
addEventListener("pagehide", letGo);
addEventListener("pageshow", connect);

// Timers: the server sends start and end, and CSS animates them. This script writes the seconds when they change and
// sleeps in between, so that a page without changes needs no layout.
let nextSecond;
function now() {
  return clock.now + (performance.now() / 1000 - clock.at) * clock.speed;
}
function wind() {
  clearTimeout(nextSecond);
  let soonest = Infinity;
  for (const timer of clock ? document.querySelectorAll("[data-timer]") : []) {
    const start = Number(timer.dataset.startedS);
    const end = Number(timer.dataset.endsS);
    const left = Math.max(0, end - now());
    const run = `${start} ${end} ${clock.at}`;
    if (timer.run !== run) {
      timer.run = run;
      timer.style.setProperty("--lasts", `${(end - start) / clock.speed}s`);
      for (const moving of timer.getAnimations({ subtree: true }))
        moving.currentTime = ((now() - start) / clock.speed) * 1000;
    }
    const seconds = timer.querySelector("[data-seconds]");
    const shown = String(Math.ceil(left));
    if (!seconds) continue;
    if (seconds.textContent !== shown) seconds.textContent = shown;
    if (left > 0) soonest = Math.min(soonest, left - Math.ceil(left) + 1);
  }
  if (soonest < Infinity) nextSecond = setTimeout(wind, (soonest / clock.speed) * 1000 + 5);
}

// The live picture, fetched while the page shows it; less often while the table has none.
const PICTURE_MS = 250;
const NO_PICTURE_MS = 2000;
let picturing = false;
async function lookOn() {
  picturing = true;
  for (let image; (image = document.querySelector("[data-live]")); ) {
    const lives = document.hidden || (await picture(image).catch(() => false));
    await new Promise(done => setTimeout(done, lives ? PICTURE_MS : NO_PICTURE_MS));
  }
  picturing = false;
}
async function picture(image) {
  const answer = await fetched(image.dataset.live);
  if (!answer || answer.status !== 200) {
    image.hidden = true;
    return false;
  }
  const reader = new FileReader();
  reader.onload = () => {
    image.src = reader.result;
    image.hidden = false;
  };
  reader.readAsDataURL(answer.body);
  return true;
}

settle();

// Keeps a page live: takes the regions that changed and runs timers. It decides nothing.
const body = document.body;
const data = body.dataset;
const SILENCE_MS = 25000; // the server says every ten seconds that it is there
const STREAMS_MOST = 4; // a browser opens six connections to one server: the rest are for taps and pages
const FRESH_MS = 350; // a second tap meant for what was here before must not hit what is here now
let stream = null;
let clock = null;
let heardAt = 0;
let promptsShown = "";
let freshTimer;

export const id = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, "0")).join("");
const byId = name => document.getElementById(name);

// What came from the server.
const morphing = {
  morphStyle: "innerHTML",
  callbacks: {
    beforeNodeMorphed: (old, fresh) => !(old.dataset && "keep" in old.dataset && fresh.dataset && old.id === fresh.id),
    // Where things have moved to and what somebody opened are the page's own.
    beforeAttributeUpdated: name => name !== "style" && name !== "open",
  },
};
function show(page) {
  clock = { now: page.now_s, at: performance.now() / 1000, speed: page.speed };
  if (page.shape !== data.shape) {
    location.reload();
    return;
  }
  for (const [name, html] of Object.entries(page.regions)) {
    const region = byId("region-" + name);
    if (region) Idiomorph.morph(region, html, morphing);
  }
  data.version = page.version;
  settle();
}
function settle() {
  for (const thing of document.querySelectorAll(".moves")) {
    thing.style.transform = `translate(${thing.dataset.x}px, ${thing.dataset.y}px)`;
  }
  const prompts = Array.from(document.querySelectorAll("[data-prompt]"), e => e.dataset.prompt).join();
  if (prompts !== promptsShown) freshen();
  promptsShown = prompts;
  centre();
  document.dispatchEvent(new Event("settled"));
}
// What is larger than its frame is pushed so that the marked place is in the middle: once, then fingers move it.
const centred = new WeakMap();
function centre() {
  for (const place of document.querySelectorAll(".pan [data-middle]")) {
    const pan = place.closest(".pan");
    if (!pan.checkVisibility() || centred.get(pan) === place.dataset.middle) continue;
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

// The stream: hidden pages let go of it, a lost one is told and taken up again.
function connect() {
  if (stream || document.hidden || !data.kind) return;
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
  stream.onopen = heard;
  stream.onerror = () => {
    lost(true);
    if (stream.readyState === EventSource.CLOSED) {
      stream = null;
      setTimeout(connect, 1500);
    }
  };
}
function heard() {
  heardAt = Date.now();
  lost(false);
}
function letGo() {
  if (stream) stream.close();
  stream = null;
  body.classList.remove("streaming");
}
// A connection that died without a word: the network was changed, the machine slept.
setInterval(() => {
  if (!stream || Date.now() - heardAt < SILENCE_MS) return;
  letGo();
  lost(true);
  connect();
}, 2000);
// Pages of one browser know of each other: where too many follow the table, those that began first rest until tapped.
// Each that begins asks anew who else there is, so that a page that was closed without a word does not count.
const pages = "BroadcastChannel" in window ? new BroadcastChannel("streams") : null;
const page = id();
const newer = new Set();
let since = 0;
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
  const sign = byId("connection");
  if (sign) sign.hidden = !is;
  body.classList.toggle("offline", is);
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) letGo();
  else connect();
});
addEventListener("pagehide", letGo);
addEventListener("pageshow", connect);

// Timers: the server says when they started and end, here they only move.
function now() {
  return clock.now + (performance.now() / 1000 - clock.at) * clock.speed;
}
function tick() {
  if (clock)
    for (const timer of document.querySelectorAll("[data-timer]")) {
      const start = Number(timer.dataset.startedS);
      const end = Number(timer.dataset.endsS);
      const left = Math.max(0, end - now());
      timer.style.setProperty("--left", Math.min(1, left / (end - start)).toFixed(4));
      const seconds = timer.querySelector("[data-seconds]");
      if (seconds) seconds.textContent = Math.ceil(left);
    }
  requestAnimationFrame(tick);
}
setInterval(async () => {
  for (const image of document.querySelectorAll("[data-live]")) {
    if (document.hidden || image.dataset.busy) continue;
    image.dataset.busy = "1";
    try {
      const answer = await fetch(image.dataset.live);
      if (answer.status === 200) {
        const reader = new FileReader();
        reader.onload = () => {
          image.src = reader.result;
          image.hidden = false;
        };
        reader.readAsDataURL(await answer.blob());
      } else image.hidden = true;
    } catch {
      image.hidden = true;
    }
    delete image.dataset.busy;
  }
}, 250);

settle();
connect();
requestAnimationFrame(tick);

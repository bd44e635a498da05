// Replays a roll slowly, beside the observations of camera and beams; with reduced motion, in steps. The touchscreen
// tells the server that it watches, so that no grace period ends meanwhile. The wall shows the same replay.
import { ask } from "/static/ask.js";
import { id } from "/static/live.js";
import { send, toast } from "/static/send.js";

const [RUN_UP, SLOW] = [2, 8]; // slow-motion factors: on the way down, and around the fence
const NEAR_MS = 330; // how long before the still the slower factor begins
const ALONE_MS = 900; // duration of each moment if there are no pictures
const SAID_MS = 10000; // how often the touchscreen tells the server that it still watches
const IDLE_MS = 18000; // without a touch for so long, the replay closes and the game goes on
const { kind, noAnswer } = document.body.dataset;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const box = document.getElementById("replay");
const find = what => box.querySelector(what);
let shown = null; // the replay that is shown: its pictures, moments, and the time of each picture
let wished = null; // the number of the replay that is shown or being fetched
let at = 0;
let since = null; // start time of the playback; null while it is paused
let frame = 0;
let idle = 0;
let said = 0;
let fetched = { number: null };
let opener = null;

// -- fetching
function offered() {
  const sign = document.querySelector("[data-replays]");
  if (!sign) return { numbers: [], decided: [], watched: null };
  const { replays, decided, watched } = sign.dataset;
  const all = text => text.split(" ").filter(Boolean).map(Number);
  return { numbers: all(replays), decided: all(decided), watched: watched ? Number(watched) : null };
}
function fetchOnce(number) {
  if (fetched.number !== number) {
    const one = (fetched = { number, done: load(number).catch(() => null) });
    // What did not come is asked for anew by who wishes for it.
    one.done.then(ready => !(ready && ready.due) && fetched === one && (fetched = { number: null }));
  }
  return fetched.done;
}
// Returns the replay, { gone } where there is none any more, null where it did not come whole.
async function load(number) {
  const answer = await ask(`/replays/${number}`);
  const told = answer && JSON.parse(await answer.body.text());
  if (!answer || !answer.ok) return told && { gone: told.message };
  const pictures = [];
  if (told.lengths.length) {
    const taken = await ask(`/replays/${number}/pictures`);
    if (!taken || !taken.ok) return null;
    let from = 0;
    for (const length of told.lengths) {
      pictures.push(taken.body.slice(from, from + length, "image/jpeg"));
      from += length;
    }
  }
  return { ...told, pictures, due: due(told) };
}
// Returns the playback time of each picture in milliseconds; slower around the fence.
function due({ offsets_ms: offsets, still, moments }) {
  if (!offsets.length) return moments.map((_, n) => n * ALONE_MS);
  const times = [0];
  for (let n = 1; n < offsets.length; n += 1) {
    const pace = offsets[n] < offsets[still] - NEAR_MS ? RUN_UP : SLOW;
    times.push(times[n - 1] + (offsets[n] - offsets[n - 1]) * pace);
  }
  return times;
}

// -- drawing
async function open(number) {
  wished = number;
  const ready = await fetchOnce(number);
  const drawn = ready && ready.due && Promise.all(ready.pictures.map(one => createImageBitmap(one)));
  const bitmaps = drawn && (await drawn.catch(() => null));
  // Meanwhile another one was wished for, or this one no more.
  if (wished !== number) {
    if (bitmaps) bitmaps.forEach(one => one.close());
    return;
  }
  if (!bitmaps) {
    // What is gone the wall asks for no more; for what did not come it asks again.
    if (kind !== "wall" || !ready) wished = shown && shown.number;
    if (kind !== "wall") toast((ready && ready.gone) || noAnswer);
    return;
  }
  if (shown) {
    halt();
    shown.bitmaps.forEach(one => one.close());
  }
  shown = { ...ready, bitmaps, index: -1 };
  const canvas = find("canvas");
  [canvas.width, canvas.height] = ready.size;
  canvas.hidden = !bitmaps.length;
  box.classList.toggle("bare", !bitmaps.length);
  box.classList.toggle("silent", !ready.moments.length);
  if (kind !== "wall") find("[data-replay-play]").hidden = calm.matches;
  offerToKeep();
  drawLine();
  if (box.hidden) opener = document.activeElement;
  box.hidden = false;
  document.body.classList.add("replaying");
  if (kind !== "wall") box.focus({ preventScroll: true });
  // With reduced motion, begin at the picture at the fence.
  go(calm.matches ? (shown.still ?? 0) : 0);
  touched();
  if (!calm.matches) play();
}
function close(gone) {
  wished = null;
  if (!shown) return;
  halt();
  clearTimeout(idle);
  shown.bitmaps.forEach(one => one.close());
  shown = null;
  box.hidden = true;
  document.body.classList.remove("replaying");
  if (!gone) watching(null);
  if (opener && opener.isConnected && kind !== "wall") opener.focus({ preventScroll: true });
}
// Offers to keep the roll, unless it is already asked for, kept or refused.
function offerToKeep() {
  if (kind === "wall") return;
  const { numbers, decided } = offered();
  const open = shown.bitmaps.length && numbers.includes(shown.number) && !decided.includes(shown.number);
  find("[data-replay-keep]").hidden = !open;
}
async function keep() {
  const seat = kind === "seat" ? Number(document.body.dataset.seat) : null;
  if (await send("PUT", `/api/v1/replays/${shown.number}/kept`, { seat, yes: true })) close();
}
const last = () => shown.due.length - 1;
const share = index => (last() > 0 ? shown.due[index] / shown.due[last()] : 0);
function drawLine() {
  const spans = find(".spans");
  const marks = [];
  const mark = (row, from, until) => {
    const one = document.createElement("i");
    one.className = row;
    one.style.left = `${100 * share(from)}%`;
    one.style.width = until > from ? `${100 * (share(until) - share(from))}%` : "";
    marks.push(one);
  };
  for (const { sense, code, at: from } of shown.moments) {
    if (sense === "camera") mark("seen", from, from);
    else if (code.endsWith("broken")) {
      const free = shown.moments.find(one => one.code === code.replace("broken", "clear") && one.at >= from);
      mark(code.split("_")[0], from, free ? Math.max(free.at, Math.min(from + 1, last())) : last());
    }
  }
  spans.replaceChildren(...marks);
}
function go(index) {
  at = Math.min(Math.max(index, 0), last());
  if (at === shown.index) return;
  shown.index = at;
  if (shown.bitmaps[at]) find("canvas").getContext("2d").drawImage(shown.bitmaps[at], 0, 0);
  find(".hand").style.transform = `translateX(${100 * share(at)}%)`;
  for (const place of box.querySelectorAll("[data-told]")) {
    const done = shown.moments.filter(one => one.sense === place.dataset.told && one.at <= at);
    // Observations within one picture are shown together.
    const newest = done.filter(one => one.at === (done.at(-1) || {}).at).map(one => one.said);
    const text = newest.length ? newest.join(" ") : place.dataset.nothing;
    if (place.textContent !== text) place.textContent = text;
  }
}
function play() {
  if (at >= last()) go(0);
  since = performance.now() - shown.due[at];
  box.classList.add("plays");
  frame = requestAnimationFrame(tick);
}
function tick(now) {
  if (!shown || since === null) return;
  let index = at;
  while (index < last() && shown.due[index + 1] <= now - since) index += 1;
  go(index);
  if (at >= last()) {
    halt();
    touched();
  } else {
    if (Date.now() - said > SAID_MS) watching(shown.number);
    frame = requestAnimationFrame(tick);
  }
}
function halt() {
  cancelAnimationFrame(frame);
  since = null;
  box.classList.remove("plays");
}

// -- watching
function touched() {
  clearTimeout(idle);
  if (kind === "wall") return;
  watching(shown.number);
  idle = setTimeout(() => (since === null ? close() : touched()), IDLE_MS);
}
function watching(number) {
  if (kind !== "kiosk") return;
  said = Date.now();
  send("POST", "/api/v1/replays/watch", { id: id(), number });
}

if (box) {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest && target.closest("button");
    if (!button) return;
    const { replay, replayStep } = button.dataset;
    if (replay) {
      open(Number(replay));
    } else if (shown && box.contains(button)) {
      if ("replayClose" in button.dataset) {
        close();
        return;
      }
      if ("replayKeep" in button.dataset) {
        keep();
        return;
      }
      if (replayStep) {
        halt();
        go(at + Number(replayStep));
      } else if (since === null) play();
      else halt();
      touched();
    }
  });
  box.addEventListener("keydown", event => {
    if (!shown) return;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      halt();
      go(at + (event.key === "ArrowLeft" ? -1 : 1));
      touched();
      event.preventDefault();
    }
  });
  const follow = () => {
    const { watched } = offered();
    if (kind !== "wall" || watched === wished) return;
    if (watched === null) close();
    else open(watched);
  };
  document.addEventListener("heard", follow);
  document.addEventListener("settled", () => {
    const { numbers } = offered();
    if (wished !== null && !numbers.includes(wished)) close(true);
    else if (shown) offerToKeep();
    follow();
    const newest = numbers.at(-1);
    if (kind === "kiosk" && newest && !document.hidden) fetchOnce(newest);
    if (fetched.number !== null && !numbers.includes(fetched.number)) fetched = { number: null };
  });
}

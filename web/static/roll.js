// Draws what rolls on the track at the lane and place where the camera (or, without one, the beams) has just seen it.
// The game's page draws the track: data-track names the turn, data-way a lane with its start, its hole and its landing,
// data-roller what rolls, once behind the fence and once before it. It stays at its last position until the turn ends.
import { rumble } from "/static/sound.js";

const [AT_HOLE, BEYOND_FENCE] = [1000, 1200]; // places of hardware/readings.py
const STEP_MS = 60; // about the time between two pictures
const LEAP_MS = 260; // for long distances: beams alone report only the hole
const LEAP = 300;
const SILENT_MS = 400;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let held = null;
let drawn = null;
let gliding;
let quiet;

const numbers = text => text.split(" ").map(Number);
const between = ([x0, y0], [x1, y1], share) => [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share];

function spot(track, { lane, place }) {
  const way = track.querySelector(`[data-way="${lane ?? track.dataset.lane}"]`);
  if (!way) return null;
  const [from, hole, out] = [way.dataset.from, way.dataset.hole, way.dataset.out].map(numbers);
  if (place >= BEYOND_FENCE) return out;
  return between(from, hole, Math.min(1, place / AT_HOLE));
}
// Moves the rollers step by step. A CSS transition would repaint everything above them.
function glide(track, to, lasts) {
  const from = drawn || spot(track, { ...held, place: 0 });
  const began = performance.now();
  const step = now => {
    const share = calm.matches ? 1 : Math.min(1, Math.max(0, now - began) / lasts);
    drawn = between(from, to, share);
    const move = `translate(${drawn[0]}px, ${drawn[1]}px)`;
    for (const roller of track.querySelectorAll("[data-roller]")) roller.style.transform = move;
    if (share < 1) gliding = requestAnimationFrame(step);
  };
  cancelAnimationFrame(gliding);
  step(began);
}
function draw(track, lasts) {
  const at = spot(track, held);
  if (!at) return;
  const state = held.place >= BEYOND_FENCE ? "beyond" : held.place >= AT_HOLE ? "hole" : "lane";
  track.dataset.rolls = state;
  track.dataset.at = `${held.lane ?? track.dataset.lane} ${held.place} ${held.t_s}`;
  glide(track, at, lasts);
}
function release(track) {
  held = drawn = null;
  cancelAnimationFrame(gliding);
  rumble(false);
  if (!track) return;
  delete track.dataset.rolls;
  delete track.dataset.at;
}

document.addEventListener("roll", ({ detail }) => {
  const track = document.querySelector("[data-track]");
  if (!track || !track.dataset.track) return;
  const leap = Math.abs(detail.place - (held ? held.place : 0)) > LEAP;
  held = { ...detail, turn: track.dataset.track };
  draw(track, leap ? LEAP_MS : STEP_MS);
  rumble(held.place < AT_HOLE);
  clearTimeout(quiet);
  quiet = setTimeout(() => rumble(false), SILENT_MS);
});
document.addEventListener("settled", () => {
  if (!held) return;
  const track = document.querySelector("[data-track]");
  if (track && track.dataset.track === held.turn) draw(track, STEP_MS);
  else release(track);
});

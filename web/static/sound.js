// Synthesised sounds: each is a few tones and noises. A screen is muted by its own button and in quiet hours.
import { within } from "/static/hours.js";
import { keep, kept } from "/static/storage.js";
const { quietFromH, quietUntilH, kind } = document.body.dataset;
const KEY = "muted";
// Phones would play the same sounds as their table's wall, so they are muted until somebody turns sound on.
const muted = () => (kept(KEY) ?? (kind === "seat" ? "1" : "0")) === "1";
const T = (wave, from, to, at, lasts, loud) => ({ wave, from, to, at, lasts, loud });
const N = (pitch, at, lasts, loud) => ({ pitch, at, lasts, loud });
const SOUNDS = {
  good: [T("triangle", 523, 523, 0, 0.16, 0.3), T("triangle", 659, 659, 0.1, 0.16, 0.3), T("triangle", 784, 784, 0.2, 0.4, 0.35)],
  bad: [T("sawtooth", 150, 62, 0, 0.32, 0.28), N(260, 0, 0.12, 0.5), T("square", 98, 92, 0.3, 0.3, 0.1)],
  caught: [T("square", 784, 784, 0, 0.12, 0.16), T("square", 784, 784, 0.18, 0.12, 0.16), T("sawtooth", 392, 196, 0.36, 0.5, 0.24)],
  fooled: [T("triangle", 392, 494, 0, 0.16, 0.3), T("triangle", 330, 415, 0.17, 0.16, 0.3), T("triangle", 262, 196, 0.34, 0.5, 0.34)],
  stolen: [T("sine", 1250, 180, 0, 0.4, 0.3), N(2600, 0.05, 0.28, 0.16), T("sine", 110, 70, 0.38, 0.24, 0.4)],
  dark: [T("sine", 110, 82, 0, 1.1, 0.4), T("sine", 116, 87, 0, 1.1, 0.3)],
  doubt: [T("sine", 330, 294, 0, 0.22, 0.26), T("sine", 294, 330, 0.24, 0.22, 0.26)],
  die: [0, 0.09, 0.19, 0.31, 0.46, 0.66].map((at, n) => N(1900 - 180 * n, at, 0.05, 0.5 - 0.05 * n)),
  drum: [0, 0.16, 0.32, 0.48].flatMap(at => [T("sine", 120, 55, at, 0.14, 0.5), N(300, at, 0.05, 0.2)]),
  bell: [T("sine", 880, 880, 0, 0.9, 0.22), T("sine", 2217, 2217, 0, 0.5, 0.09)],
  open: [N(700, 0, 0.2, 0.25), T("sine", 220, 660, 0.12, 0.3, 0.2), T("sine", 1320, 1320, 0.4, 0.5, 0.14)],
  clink: [T("sine", 2093, 2093, 0, 0.12, 0.14), T("sine", 3136, 3136, 0.02, 0.16, 0.08)],
  win: [523, 659, 784, 1047].map((tone, n) => T("triangle", tone, tone, 0.15 * n, n === 3 ? 0.9 : 0.2, 0.34)),
};
let context = null;
let loud = null;

const quiet = () => within(Number(quietFromH), Number(quietUntilH));
// A browser allows sound and vibration only after a touch of the page. Sounds before that are dropped.
export const touched = () => !navigator.userActivation || navigator.userActivation.hasBeenActive;
function awake() {
  if (muted() || quiet() || document.hidden || !("AudioContext" in window)) return false;
  if (!touched()) return false;
  if (!context) {
    context = new AudioContext();
    loud = new GainNode(context, { gain: 0.5 });
    loud.connect(context.destination);
  }
  if (context.state === "suspended") context.resume().catch(() => {});
  return context.state === "running";
}
function fading(lasts, peak, at) {
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(peak, at + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + lasts);
  gain.connect(loud);
  return gain;
}
let hiss = null;
function noise() {
  if (!hiss) {
    hiss = new AudioBuffer({ length: context.sampleRate, sampleRate: context.sampleRate });
    const grains = hiss.getChannelData(0);
    for (let n = 0; n < grains.length; n += 1) grains[n] = Math.random() * 2 - 1;
  }
  return new AudioBufferSourceNode(context, { buffer: hiss, loop: true });
}
export function play(name) {
  document.dispatchEvent(new CustomEvent("sounds", { detail: { name, silent: muted() || quiet() } }));
  if (!SOUNDS[name] || !awake()) return;
  for (const part of SOUNDS[name]) {
    const at = context.currentTime + part.at;
    const gain = fading(part.lasts, part.loud, at);
    let source;
    if (part.wave) {
      source = new OscillatorNode(context, { type: part.wave, frequency: part.from });
      source.frequency.exponentialRampToValueAtTime(part.to, at + part.lasts);
      source.connect(gain);
    } else {
      source = noise();
      source.connect(new BiquadFilterNode(context, { type: "bandpass", frequency: part.pitch, Q: 1.2 })).connect(gain);
    }
    source.start(at);
    source.stop(at + part.lasts);
  }
}
// A rumble while something rolls. It lasts until it is ended.
let rolling = null;
export function rumble(is) {
  if (!is && rolling) {
    rolling.gain.gain.setTargetAtTime(0.0001, context.currentTime, 0.05);
    rolling.source.stop(context.currentTime + 0.3);
    rolling = null;
  } else if (is && !rolling && awake()) {
    const [source, gain] = [noise(), new GainNode(context, { gain: 0.16 })];
    source.connect(new BiquadFilterNode(context, { type: "lowpass", frequency: 210 })).connect(gain).connect(loud);
    source.start();
    rolling = { source, gain };
  }
}

function tell() {
  for (const button of document.querySelectorAll("[data-mute]")) {
    button.setAttribute("aria-pressed", String(muted()));
    button.title = muted() ? button.dataset.unmute : button.dataset.mute;
    button.setAttribute("aria-label", button.title);
  }
}
document.addEventListener("click", ({ target }) => {
  if (!target.closest || !target.closest("[data-mute]")) return;
  keep(KEY, muted() ? "0" : "1");
  if (muted()) rumble(false);
  tell();
  play("clink");
});
document.addEventListener("pointerdown", awake, { once: true });
document.addEventListener("settled", tell);
tell();

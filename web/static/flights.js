// Animates things from their old to their new place: data-fly in a moment names two places of the page (data-spot).
import { play } from "/static/sound.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const FLIGHT_MS = 850;
const ARC = 0.28; // how high a flight rises, as a share of its length
let flying = [];

const spot = names =>
  names
    .split(" ")
    .flatMap(name => Array.from(document.querySelectorAll(`[data-spot~="${name}"]`)))
    .find(one => one.getClientRects().length);

function middle(one) {
  if (!one) return { x: innerWidth / 2, y: -40 };
  const { left, top, width, height } = one.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}
export function fly(moment) {
  if (calm.matches) return;
  for (const sign of moment.querySelectorAll("[data-fly]")) {
    const goal = spot(sign.dataset.to);
    const [from, to] = [middle(spot(sign.dataset.from)), middle(goal)];
    const flyer = document.createElement("div");
    flyer.className = "flyer";
    flyer.append(...Array.from(sign.childNodes, node => node.cloneNode(true)));
    document.body.append(flyer);
    const high = ARC * Math.hypot(to.x - from.x, to.y - from.y);
    const at = (x, y, size, turn) => ({ transform: `translate(${x}px, ${y}px) scale(${size}) rotate(${turn}turn)` });
    const way = [
      at(from.x, from.y, 0.6, 0),
      { ...at((from.x + to.x) / 2, (from.y + to.y) / 2 - high, 1.7, 0.5), easing: "ease-in" },
      at(to.x, to.y, 1, 1),
    ];
    const motion = flyer.animate(way, { duration: FLIGHT_MS, easing: "ease-out", fill: "both" });
    const flight = { motion, flyer };
    flying.push(flight);
    if (goal && sign.dataset.arrives === goal.dataset.spot.split(" ")[0])
      flight.hidden = goal.animate([{ opacity: 0 }, { opacity: 0 }], { duration: FLIGHT_MS });
    motion.onfinish = () => {
      gone(flight);
      play("clink");
    };
  }
}
function gone({ flyer, hidden }) {
  flyer.remove();
  if (hidden) hidden.cancel();
}
// Ends all running flights at once.
export function land() {
  for (const flight of flying) {
    flight.motion.onfinish = null;
    gone(flight);
  }
  flying = [];
}

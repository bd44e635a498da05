// The owner's map: places are put down and dragged with a finger, or with Tab and the arrow keys. Nothing is checked here:
// the table checks what is saved, and each thing that is wrong is shown where it is.
import { send, toast } from "/static/send.js";
import { loaded } from "/games/haulers/editor_picture.js";

const page = document.getElementById("editor");
const svg = document.getElementById("board");
const data = page.dataset;
const words = JSON.parse(data.words);
const map = {
  format: 1,
  name: data.file.split("/").at(-1),
  size: [1600, 900],
  cities: [],
  crossings: [],
  buoys: [],
  roads: [],
  sea: [],
  deliveries: [],
  supplies: JSON.parse(data.supplies),
  ...JSON.parse(data.given),
};
const KINDS = { city: "cities", crossing: "crossings", buoy: "buoys" };
const STEP = 10;
let problems = JSON.parse(data.problems);
let picture = "picture" in data;
let tool = "move";
let chosen = null;
let first = null;
let changes = 0;
let saved = 0; // how many of the changes are in the file
// The version of the file that a save may replace; null: any.
let version = data.version;

const places = () => Object.values(KINDS).flatMap(kind => map[kind].map((place, at) => ({ kind, at, place })));
const lines = () => ["roads", "sea"].flatMap(kind => map[kind].map((line, at) => ({ kind, at, line })));
const known = name => places().find(one => one.place.name === name);
const at = name => known(name).place.at;
const wrong = field => problems.filter(one => one.field === field || one.field.startsWith(field + "."));
const byRoad = () => new Set(map.roads.flatMap(road => road.ends));

function make(tag, attributes = {}, ...inside) {
  const svgs = ["svg", "g", "path", "circle", "text", "image", "title"];
  const one = svgs.includes(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) one.setAttribute(name, value === true ? "" : value);
  one.append(...inside);
  return one;
}
const input = (label, value, change, more = {}) =>
  make("label", { class: "field" }, label, " ", make("input", { value, ...more, onchange: e => change(e.target.value) }));
const faults = field => wrong(field).map(one => make("p", { class: "fault" }, one.sentence));
function pick(label, value, values, change) {
  const options = values.map(one => {
    const [given, said] = Array.isArray(one) ? one : [one, one];
    return make("option", { value: given, selected: given === value }, said);
  });
  return make("label", { class: "field" }, label, " ", make("select", { onchange: e => change(e.target.value) }, ...options));
}
const remove = work => make("button", { type: "button", class: "tap quiet", onclick: work }, words.remove);

// Whatever changes is drawn anew, and has to be saved.
function changed() {
  changes += 1;
  document.getElementById("play").hidden = true;
  document.getElementById("told").textContent = words.unsaved;
  draw();
}
function draw() {
  const focused = document.activeElement && document.activeElement.id;
  svg.setAttribute("viewBox", `0 0 ${map.size[0]} ${map.size[1]}`);
  const drawn = picture
    ? [make("image", { href: `${data.file}/picture.jpg?${picture}`, width: map.size[0], height: map.size[1], opacity: 0.75 })]
    : (map.land || []).map(d => make("path", { d, class: "land" }));
  // A line to a place that is not there has no way: its row says so.
  for (const { kind, at: number, line } of lines().filter(one => one.line.ends.every(known))) {
    const way = [at(line.ends[0]), ...(line.bends || []), at(line.ends[1])];
    const bad = wrong(`${kind}[${number}]`).length > 0;
    const d = "M" + way.map(point => point.join(" ")).join("L");
    const mine = chosen && chosen.kind === kind && chosen.at === number;
    drawn.push(make("path", { d, class: `way ${kind}${bad ? " bad" : ""}${mine ? " mine" : ""}` }));
    drawn.push(make("path", { d, class: "grip", onclick: () => choose(kind, number) }));
    const middle = way[Math.floor((way.length - 1) / 2)].map((one, axis) => (one + way[Math.ceil(way.length / 2)][axis]) / 2);
    drawn.push(make("text", { x: middle[0], y: middle[1], class: "squares" }, String(line.squares)));
  }
  for (const { kind, at: number, place } of places()) {
    const bad = wrong(`${kind}[${number}]`).length > 0;
    const mine = (chosen && chosen.kind === kind && chosen.at === number) || first === place.name;
    const numbers = (place.numbers || []).join(" ");
    drawn.push(
      make(
        "g",
        {
          id: `${kind}-${number}`,
          class: `spot-${kind}${bad ? " bad" : ""}${mine ? " mine" : ""}`,
          transform: `translate(${place.at.join(" ")})`,
          tabindex: 0,
          role: "button",
          "aria-label": `${place.name} ${numbers}`,
          "data-kind": kind,
          "data-at": number,
        },
        make("circle", { r: 26 }),
        make("text", { y: 58 }, place.name),
        make("text", { y: 9, class: "number" }, numbers),
      ),
    );
  }
  svg.replaceChildren(...drawn);
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus();
  list();
}

// What is chosen, and the whole of it as rows: each with what is wrong with it.
function choose(kind, number) {
  chosen = { kind, at: number };
  draw();
}
function details({ kind, at: number }) {
  const one = map[kind][number];
  const field = `${kind}[${number}]`;
  if (kind === "roads" || kind === "sea")
    return [
      make("b", {}, one.ends.join(" – ")),
      input(words.squares, one.squares, value => ((one.squares = Number(value)), changed()), { type: "number", min: 0, max: 30 }),
      remove(() => (map[kind].splice(number, 1), (chosen = null), changed())),
      ...faults(field),
    ];
  const row = [input(words.name, one.name, value => rename(one, value), { maxlength: 32, autocomplete: "off" })];
  if (kind === "cities") {
    const text = (one.numbers || []).join(" ");
    row.push(input(words.numbers, text, value => ((one.numbers = (value.match(/\d+/g) || []).map(Number)), changed()), { size: 6 }));
    const sides = ["above", "below", "left", "right"].map(side => [side, words[side]]);
    row.push(pick(words.side, one.label || "below", sides, value => ((one.label = value), changed())));
  }
  return [...row, remove(() => drop(kind, number)), ...faults(field)];
}
function list() {
  document.getElementById("chosen").replaceChildren(...(chosen && map[chosen.kind][chosen.at] ? details(chosen) : []));
  const rows = all => all.map(one => make("li", {}, ...details(one)));
  document.getElementById("places").replaceChildren(...rows(places()));
  document.getElementById("lines").replaceChildren(...rows(lines()));
  const cities = map.cities.map(city => city.name);
  document.getElementById("cards").replaceChildren(
    ...map.deliveries.map((card, number) =>
      make(
        "li",
        {},
        pick(words.from, card.top, cities, value => ((card.top = value), changed())),
        pick(words.to, card.bottom, cities, value => ((card.bottom = value), changed())),
        input(words.pays, card.pays, value => ((card.pays = Number(value)), changed()), { type: "number", min: 1, max: 100000 }),
        remove(() => (map.deliveries.splice(number, 1), changed())),
        ...faults(`deliveries[${number}]`),
      ),
    ),
  );
  for (const field of document.querySelectorAll("[data-supply]")) field.value = map.supplies[field.dataset.supply];
  document.getElementById("map-name").value = map.name;
  const elsewhere = problems.filter(one => !one.field.includes("["));
  document.getElementById("whole").replaceChildren(...elsewhere.map(one => make("p", { class: "fault" }, one.sentence)));
}

// Returns the name, with a number where another place has it already.
function free(name) {
  const taken = new Set(places().map(one => one.place.name));
  let number = 1;
  const numbered = () => (number > 1 ? `${name} ${number}` : name);
  while (taken.has(numbered())) number += 1;
  return numbered();
}
// What can be done with a place. Lines and cards refer to it by its name: two places of one name would become one.
function rename(place, typed) {
  const old = place.name;
  const name = typed.trim() || old;
  place.name = name === old ? old : free(name);
  for (const { line } of lines()) line.ends = line.ends.map(end => (end === old ? place.name : end));
  for (const card of map.deliveries)
    for (const end of ["top", "bottom"]) if (card[end] === old) card[end] = place.name;
  for (const mission of map.missions || [])
    if (mission.cities) mission.cities = mission.cities.map(city => (city === old ? place.name : city));
  changed();
}
function drop(kind, number) {
  const [gone] = map[kind].splice(number, 1);
  for (const ways of ["roads", "sea"]) map[ways] = map[ways].filter(line => !line.ends.includes(gone.name));
  map.deliveries = map.deliveries.filter(card => card.top !== gone.name && card.bottom !== gone.name);
  chosen = first = null;
  changed();
}
function add(what, point) {
  const kind = KINDS[what];
  const taken = new Set(places().map(one => one.place.name));
  let number = map[kind].length + 1;
  while (taken.has(`${words[what]} ${number}`)) number += 1;
  map[kind].push({ name: `${words[what]} ${number}`, at: inside(point) });
  chosen = { kind, at: map[kind].length - 1 };
  changed();
}
function inside(point) {
  return point.map((one, axis) => Math.round(Math.min(Math.max(one, 0), map.size[axis])));
}
function connect(name) {
  if (first === null || first === name) {
    first = first === name ? null : name;
    if (first) document.getElementById("told").textContent = words.second;
    draw();
    return;
  }
  const kind = tool === "sea" ? "sea" : "roads";
  const far = Math.hypot(...at(first).map((one, axis) => one - at(name)[axis]));
  map[kind].push({ ends: [first, name], squares: Math.min(Math.max(Math.round(far / (map.size[0] / 18)) - 1, 0), 30) });
  first = null;
  chosen = { kind, at: map[kind].length - 1 };
  changed();
}

// Fingers, mice and keys.
function pointed(event) {
  const box = svg.getScreenCTM().inverse();
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(box);
  return [point.x, point.y];
}
const placed = event => event.target.closest("[data-kind]");
svg.addEventListener("pointerdown", event => {
  const spot = placed(event);
  if (!spot) {
    if (KINDS[tool] && !event.target.matches(".grip")) add(tool, pointed(event));
    return;
  }
  event.preventDefault();
  const { kind, at: number } = spot.dataset;
  const place = map[kind][Number(number)];
  if (tool === "road" || tool === "sea") {
    connect(place.name);
    return;
  }
  choose(kind, Number(number));
  svg.setPointerCapture(event.pointerId);
  const drag = moved => {
    place.at = inside(pointed(moved));
    changed();
  };
  const until = new AbortController();
  const { signal } = until;
  svg.addEventListener("pointermove", drag, { signal });
  for (const sign of ["pointerup", "pointercancel"]) svg.addEventListener(sign, () => until.abort(), { signal });
});
svg.addEventListener("keydown", event => {
  const spot = placed(event);
  const way = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key];
  if (!spot || !(way || ["Enter", " ", "Delete"].includes(event.key))) return;
  event.preventDefault();
  const { kind, at: number } = spot.dataset;
  const place = map[kind][Number(number)];
  if (way) {
    place.at = inside(place.at.map((one, axis) => one + way[axis]));
    changed();
  } else if (event.key === "Delete") drop(kind, Number(number));
  else if (tool === "road" || tool === "sea") connect(place.name);
  else choose(kind, Number(number));
});
document.querySelector(".tool-kinds").addEventListener("change", event => {
  tool = event.target.value;
  first = null;
  draw();
});
// By keys a new place begins in the middle: Enter on its tool puts it there, arrows move it.
document.querySelector(".tool-kinds").addEventListener("keydown", event => {
  if (event.key === "Enter" && KINDS[event.target.value]) add(event.target.value, [map.size[0] / 2, map.size[1] / 2]);
});

// Numbers, cards and supplies.
document.getElementById("numbers").addEventListener("click", () => {
  const taken = new Set(map.cities.flatMap(city => city.numbers || []));
  const free = Array.from({ length: 11 }, (_, one) => one + 2).filter(number => !taken.has(number));
  const roads = byRoad();
  const land = map.cities.filter(city => roads.has(city.name));
  if (!land.length) return toast(words.roads_first);
  for (const number of free) {
    land.sort((one, other) => (one.numbers || []).length - (other.numbers || []).length);
    land[0].numbers = [...(land[0].numbers || []), number];
  }
  changed();
});
const CARDS = 36;
document.getElementById("one-card").addEventListener("click", () => {
  const [top, bottom] = map.cities.map(city => city.name);
  if (!bottom) return toast(words.two_first);
  map.deliveries.push({ top, bottom, pays: 1000 });
  changed();
});
document.getElementById("make-up").addEventListener("click", () => {
  const roads = byRoad();
  const names = map.cities.map(city => city.name);
  const pairs = names.flatMap(top => names.filter(bottom => bottom !== top).map(bottom => [top, bottom]));
  const land = pairs.filter(pair => pair.every(name => roads.has(name)));
  const sea = pairs.filter(pair => pair.filter(name => roads.has(name)).length === 1);
  if (!land.length) return toast(words.roads_first);
  const stride = all => all.map((_, one) => all[(one * 7919) % all.length]);
  const [ashore, overseas] = [stride(land), stride(sea)];
  for (let number = 0; map.deliveries.length < CARDS; number++) {
    const over = overseas.length && number % 3 === 2;
    const [top, bottom] = over ? overseas[number % overseas.length] : ashore[number % ashore.length];
    const far = Math.hypot(...at(top).map((one, axis) => one - at(bottom)[axis])) / map.size[0];
    map.deliveries.push({ top, bottom, pays: Math.max(500, Math.round((far * 4000) / 250) * 250) * (over ? 2 : 1) });
  }
  map.ours = true;
  map.note = { en: words.made_up, de: words.made_up_de };
  changed();
});
document.getElementById("supplies").addEventListener("change", event => {
  map.supplies[event.target.dataset.supply] = Number(event.target.value);
  changed();
});
document.getElementById("map-name").addEventListener("change", event => {
  map.name = event.target.value.trim() || map.name;
  changed();
});

// The picture of their own board is made small here, and lies under what is drawn.
document.getElementById("picture").addEventListener("change", async event => {
  const size = event.target.files[0] && (await loaded(event.target.files[0], `${data.file}/picture`, words.too_large));
  event.target.value = "";
  if (!size) return;
  const high = Math.round((map.size[0] * size.high) / size.wide);
  for (const one of [...places().map(each => each.place)]) one.at = inside([one.at[0], (one.at[1] * high) / map.size[1]]);
  map.size = [map.size[0], high];
  picture = Date.now();
  changed();
});
document.getElementById("save").addEventListener("click", async () => {
  const sent = changes;
  const place = version === null ? data.file : `${data.file}?version=${version}`;
  const said = await send("POST", place, map, code => code === "file_changed" && (version = null));
  if (!said) return;
  version = said.version;
  saved = sent;
  problems = said.problems;
  draw();
  const told = said.good ? words.good : words.faults.replace("{n}", problems.length);
  toast(told);
  // What was drawn since it was sent has to be saved yet.
  if (sent !== changes) return;
  document.getElementById("told").textContent = told;
  document.getElementById("play").hidden = !said.good;
});
// Whoever leaves with a drawing that is not saved is asked first, by the browser and in its words.
addEventListener("beforeunload", event => saved !== changes && event.preventDefault());
draw();

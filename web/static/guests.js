// Fills the set-up page with the players and options of the last game.
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const brings = card => Object.entries(JSON.parse(card.dataset.brings || "{}"));

// Seats the players of `last` in their order, each on the card with the same data-brings if there is one.
export function seat(form, last, switchOn) {
  const cards = Array.from(form.querySelectorAll("[data-player]"));
  const free = new Set(cards);
  const taken = last.players.map(player => {
    const own = card => brings(card).every(([what, value]) => same(player[what], value));
    const card = [...free].find(own) || [...free][0];
    free.delete(card);
    if (card) name(card, player.name);
    return card;
  });
  for (const card of taken.filter(Boolean).reverse()) card.parentElement.prepend(card);
  for (const card of cards) switchOn(card, taken.includes(card));
  const oldest = taken[last.oldest || 0];
  if (oldest) oldest.querySelector("[name=oldest]").checked = true;
}
function name(card, text) {
  const button = card.querySelector("[data-name]");
  button.textContent = text || button.dataset.default;
}
export function forget(form) {
  for (const card of form.querySelectorAll("[data-player]")) name(card, "");
}
// Rotates the seats: the first player becomes the last.
export function turn(form) {
  const taking = Array.from(form.querySelectorAll('[data-player][data-on="1"]'));
  if (taking.length > 1) taking.at(-1).after(taking[0]);
}

// Chooses the options of the last game: in each group the choice that matches most of them.
export function choose(form, options) {
  const groups = new Map();
  for (const input of form.querySelectorAll("[data-option], [data-options]"))
    groups.set(input.name, [...(groups.get(input.name) || []), input]);
  for (const inputs of groups.values()) {
    const best = Math.max(...inputs.map(input => agreed(input, options)));
    if (best > 0) inputs.find(input => agreed(input, options) === best).checked = true;
  }
  for (const amount of form.querySelectorAll("[data-path]")) {
    const known = amount.dataset.path.split(".").reduce((at, step) => at && at[step], options);
    if (typeof known === "number") amount.textContent = known;
  }
  form.dispatchEvent(new Event("change"));
}
// Returns the options that a choice sets: one or several.
export function says(input) {
  const d = input.dataset;
  if (d.options) return JSON.parse(d.options);
  return { [d.option]: "number" in d ? Number(input.value) : "truth" in d ? input.value === "1" : input.value };
}
function agreed(input, options) {
  const all = Object.entries(says(input));
  return all.every(([what, is]) => same(options[what], is)) ? all.length : 0;
}

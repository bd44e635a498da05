// The touchscreen: dims when nobody is there, types names without a keyboard, sets a game up.
"use strict";
(() => {
  const dimmer = document.getElementById("dimmer");
  if (dimmer) {
    const after = Number(document.body.dataset.dimAfterS) * 1000;
    let timer;
    const wake = () => { clearTimeout(timer); timer = setTimeout(() => { dimmer.hidden = false; }, after); };
    dimmer.addEventListener("click", event => { event.stopPropagation(); dimmer.hidden = true; wake(); });
    for (const sign of ["pointerdown", "keydown"]) document.addEventListener(sign, wake);
    // News wakes it; a connection that was taken up anew brings none.
    let known;
    document.addEventListener("settled", () => {
      if (document.body.dataset.version === known) return;
      known = document.body.dataset.version;
      dimmer.hidden = true;
      wake();
    });
    wake();
  }

  // Hot seat: a hand is fetched when a finger comes down and thrown away when it lifts. What can be chosen in it is then
  // chosen blind, by number: [data-back="2"] sends the second [data-send] of the hand that was looked at.
  // Several at once, such as the cards of a convoy: the places of a [data-blind] list stand for the hand's [data-card]s.
  let held = null, looked = null, faces = null;
  async function look(button) {
    letGo();
    const sheet = held = document.createElement("aside");
    sheet.className = "held";
    button.classList.add("holding");
    const answer = await fetch(button.dataset.hold).catch(() => null);
    if (held !== sheet) return;
    if (!answer || !answer.ok) { letGo(); return; }
    sheet.innerHTML = await answer.text();
    if (held !== sheet) return;
    document.body.append(sheet);
    looked = Array.from(sheet.querySelectorAll("[data-prompt][data-send]"), one => one.disabled ? null : { prompt: one.dataset.prompt, action: one.dataset.send });
    faces = Array.from(sheet.querySelectorAll("[data-card]"), one => one.dataset.card);
    for (const back of document.querySelectorAll("[data-back]")) back.disabled = !looked[Number(back.dataset.back) - 1];
  }
  function letGo() {
    if (held) held.remove();
    held = null;
    for (const button of document.querySelectorAll(".holding")) button.classList.remove("holding");
  }
  document.addEventListener("pointerdown", event => {
    const button = event.target.closest("[data-hold]");
    if (button) { event.preventDefault(); look(button); }
  });
  for (const sign of ["pointerup", "pointercancel", "visibilitychange", "keyup"]) document.addEventListener(sign, letGo);
  addEventListener("blur", letGo);
  document.addEventListener("keydown", event => {
    const button = event.target.closest("[data-hold]");
    if (button && !event.repeat && (event.key === " " || event.key === "Enter")) { event.preventDefault(); look(button); }
  });
  document.addEventListener("settled", () => {
    looked = faces = null;
    for (const back of document.querySelectorAll("[data-back]")) back.disabled = true;
  });
  document.addEventListener("click", event => {
    const back = event.target.closest("[data-back]"), choice = back && looked && looked[Number(back.dataset.back) - 1];
    if (choice) window.smugglers.act(choice.prompt, JSON.parse(choice.action));
  });
  document.addEventListener("submit", event => {
    const list = event.target, d = list.dataset;
    if (!d.blind) return;
    event.preventDefault();
    if (!faces) { window.smugglers.toast(d.lookFirst); return; }
    const values = window.smugglers.chosen(list).map(chip => faces[Number(chip.dataset.place)]);
    window.smugglers.act(d.prompt, { ...JSON.parse(d.action), [d.blind]: values });
  });

  const pinpad = document.querySelector("[data-pinpad]");
  if (pinpad) pinpad.addEventListener("click", event => {
    const digit = event.target.dataset && event.target.dataset.digit, input = pinpad.elements.pin;
    if (digit) input.value = digit === "⌫" ? input.value.slice(0, -1) : input.value + digit;
  });

  const form = document.querySelector("[data-setup]");
  if (!form) return;
  const keyboard = document.getElementById("keyboard"), typed = keyboard.querySelector("[data-typed]");
  const cards = () => Array.from(form.querySelectorAll("[data-player]"));
  let naming = null, upper = true;

  function type(sign) {
    if (sign === "⇧") { upper = !upper; cap(); return; }
    if (sign === "⏎") { finish(); return; }
    if (sign === "⌫") typed.textContent = Array.from(typed.textContent).slice(0, -1).join("");
    else if (Array.from(typed.textContent).length < 16) { typed.textContent += upper && sign !== "ß" ? sign.toUpperCase() : sign; upper = false; }
    if (!typed.textContent) upper = true;
    cap();
  }
  function cap() { for (const key of keyboard.querySelectorAll(".keys [data-type]")) if (key.dataset.type.length === 1 && /\p{L}/u.test(key.dataset.type)) key.textContent = upper && key.dataset.type !== "ß" ? key.dataset.type.toUpperCase() : key.dataset.type; }
  function finish() {
    const name = typed.textContent.trim();
    naming.textContent = name || naming.dataset.default;
    switchOn(naming.closest("[data-player]"), true);
    keyboard.close();
  }
  function switchOn(card, on) {
    card.dataset.on = on ? "1" : "";
    card.querySelector("[data-toggle]").setAttribute("aria-pressed", on);
    const oldest = card.querySelector("[name=oldest]");
    if (!on && oldest.checked) { const other = cards().find(one => one.dataset.on); if (other) other.querySelector("[name=oldest]").checked = true; }
  }
  document.addEventListener("keydown", event => {
    if (!keyboard.open || (event.ctrlKey && !event.altKey) || event.metaKey) return;
    if (event.key === "Enter") { event.preventDefault(); finish(); }
    else if (event.key === "Backspace") type("⌫");
    else if (Array.from(event.key).length === 1) { upper = event.key !== event.key.toLowerCase(); type(event.key.toLowerCase()); }
  });
  document.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    if ("toggle" in button.dataset) {
      const card = button.closest("[data-player]");
      switchOn(card, !card.dataset.on);
    } else if ("name" in button.dataset) {
      naming = button;
      typed.textContent = button.textContent === button.dataset.default ? "" : button.textContent;
      upper = !typed.textContent; cap();
      keyboard.showModal();
    } else if ("chip" in button.dataset) { typed.textContent = button.textContent; finish(); }
    else if (button.dataset.type) type(button.dataset.type);
    else if (button.dataset.move) {
      const card = button.closest("[data-player]"), all = cards(), at = all.indexOf(card);
      const beside = all[at + Number(button.dataset.move)];
      if (beside) (button.dataset.move === "1" ? beside.after(card) : beside.before(card));
    }
  });

  // Amounts are typed on a pad of their own, one after the other; parts of the form open when they are chosen.
  const pad = document.getElementById("digits");
  let filling = null;
  function fill(amount) {
    filling = amount;
    if (!amount) { pad.close(); return; }
    pad.querySelector("[data-typed]").textContent = "";
    pad.dataset.for = amount.getAttribute("aria-label");
    for (const other of form.querySelectorAll("[data-amount]")) other.classList.toggle("filling", other === amount);
    if (!pad.open) pad.showModal();
  }
  if (pad) pad.addEventListener("click", event => {
    const digit = event.target.dataset.digit, shown = pad.querySelector("[data-typed]");
    if (!digit) { if (event.target === pad) pad.close(); return; }
    if (digit !== "⏎") { shown.textContent = digit === "⌫" ? shown.textContent.slice(0, -1) : (shown.textContent + digit).slice(0, 6); return; }
    if (shown.textContent) filling.textContent = Number(shown.textContent);
    const all = Array.from(form.querySelectorAll("[data-amount]"));
    fill(all.slice(all.indexOf(filling) + 1).find(one => !one.textContent));
  });
  // This screen remembers them: what is printed on a table's own board is typed in once.
  const kept = "amounts." + form.dataset.setup, amounts = () => Array.from(form.querySelectorAll("[data-path]"));
  try {
    const known = JSON.parse(localStorage.getItem(kept)) || {};
    for (const amount of amounts()) amount.textContent = known[amount.dataset.path] || amount.textContent;
  } catch { localStorage.removeItem(kept); }
  form.addEventListener("submit", () => localStorage.setItem(kept, JSON.stringify(Object.fromEntries(amounts().map(one => [one.dataset.path, one.textContent])))));
  form.addEventListener("click", event => { if (event.target.matches("[data-amount]")) fill(event.target); });
  form.addEventListener("change", () => {
    for (const input of form.querySelectorAll("[data-opens]")) document.getElementById(input.dataset.opens).hidden = !input.checked;
  });

  form.addEventListener("submit", async event => {
    event.preventDefault();
    const taking = cards().filter(card => card.dataset.on);
    const players = taking.map(card => ({ name: card.querySelector("[data-name]").textContent, putty: card.dataset.putty }));
    const oldest = Math.max(0, taking.findIndex(card => card.querySelector("[name=oldest]").checked));
    const options = {};
    for (const input of form.querySelectorAll("[data-option]:checked")) {
      const d = input.dataset;
      options[d.option] = "number" in d ? Number(input.value) : "truth" in d ? input.value === "1" : input.value;
    }
    for (const input of form.querySelectorAll("[data-options]:checked")) Object.assign(options, JSON.parse(input.dataset.options));
    for (const amount of form.querySelectorAll("[data-path]")) if (!amount.closest("[hidden]") && amount.textContent) {
      const steps = amount.dataset.path.split("."), last = steps.pop();
      let at = options;
      for (const step of steps) at = at[step] ||= {};
      at[last] = Number(amount.textContent);
    }
    const { send, id } = window.smugglers;
    form.dataset.id ||= id();
    const opened = await send("POST", "/api/v1/games?game=" + form.dataset.setup, { id: form.dataset.id, game: form.dataset.setup, players, oldest, options });
    if (opened) location.assign("/kiosk"); else delete form.dataset.id;
  });
})();

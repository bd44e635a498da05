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
    document.addEventListener("settled", () => { dimmer.hidden = true; wake(); });
    wake();
  }

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
    if (!keyboard.open) return;
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
    const { send, id } = window.smugglers;
    form.dataset.id ||= id();
    const opened = await send("POST", "/api/v1/games", { id: form.dataset.id, game: form.dataset.setup, players, oldest, options });
    if (opened) location.assign("/kiosk"); else delete form.dataset.id;
  });
})();

// Keeps a page live: takes the regions that changed, sends taps, runs timers. It decides nothing.
"use strict";
(() => {
  const body = document.body, data = body.dataset;
  const SILENCE_MS = 25000; // the server says every ten seconds that it is there
  const STREAMS_MOST = 4; // a browser opens six connections to one server: the rest are for taps and pages
  const FRESH_MS = 350; // a second tap meant for what was here before must not hit what is here now
  let stream = null, clock = null, heardAt = 0, promptsShown = "", freshTimer;

  const id = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, "0")).join("");
  const spoken = number => number.toLocaleString(document.documentElement.lang);
  const byId = name => document.getElementById(name);

  // -- what came from the server ---------------------------------------------------------------------------------
  const morphing = {
    morphStyle: "innerHTML",
    callbacks: {
      beforeNodeMorphed: (old, fresh) => !(old.dataset && "keep" in old.dataset && fresh.dataset && old.id === fresh.id),
      beforeAttributeUpdated: (name) => name !== "style",
    },
  };
  function show(page) {
    clock = { now: page.now_s, at: performance.now() / 1000, speed: page.speed };
    if (page.shape !== data.shape) { location.reload(); return; }
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
    document.dispatchEvent(new Event("settled"));
  }
  function freshen() {
    body.classList.add("fresh");
    clearTimeout(freshTimer);
    freshTimer = setTimeout(() => body.classList.remove("fresh"), FRESH_MS);
  }

  // -- the stream: hidden pages let go of it, a lost one is told and taken up again ------------------------------
  function connect() {
    if (stream || document.hidden || !data.kind) return;
    const seat = data.seat === "" ? "" : "&seat=" + data.seat;
    stream = new EventSource(`/live?kind=${data.kind}${seat}`);
    body.classList.add("streaming");
    rest(false);
    ask();
    heardAt = Date.now();
    stream.addEventListener("page", event => { heard(); show(JSON.parse(event.data)); });
    stream.addEventListener("beat", heard);
    stream.onopen = heard;
    stream.onerror = () => {
      lost(true);
      if (stream.readyState === EventSource.CLOSED) { stream = null; setTimeout(connect, 1500); }
    };
  }
  function heard() { heardAt = Date.now(); lost(false); }
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
  const pages = "BroadcastChannel" in window ? new BroadcastChannel("streams") : null, page = id(), newer = new Set();
  let since = 0;
  function ask() {
    since = Date.now();
    newer.clear();
    if (pages) pages.postMessage({ page, since, asks: true });
  }
  if (pages) pages.onmessage = ({ data: other }) => {
    if (!stream) return;
    if (other.asks) { newer.clear(); pages.postMessage({ page, since }); }
    if (other.since > since) newer.add(other.page);
    if (newer.size >= STREAMS_MOST) { letGo(); rest(true); }
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
    if (document.hidden) letGo(); else connect();
  });
  addEventListener("pagehide", letGo);
  addEventListener("pageshow", connect);

  // -- timers: the server says when they started and end, here they only move ------------------------------------
  function now() { return clock.now + (performance.now() / 1000 - clock.at) * clock.speed; }
  function tick() {
    if (clock) for (const timer of document.querySelectorAll("[data-timer]")) {
      const start = Number(timer.dataset.startedS), end = Number(timer.dataset.endsS);
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
          reader.onload = () => { image.src = reader.result; image.hidden = false; };
          reader.readAsDataURL(await answer.blob());
        } else image.hidden = true;
      } catch { image.hidden = true; }
      delete image.dataset.busy;
    }
  }, 250);

  // -- taps --------------------------------------------------------------------------------------------------------
  async function send(method, url, payload) {
    try {
      const answer = await fetch(url, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(payload) });
      const said = await answer.json();
      if (!answer.ok) toast(said.message, said.rule);
      return answer.ok ? said : null;
    } catch { toast(data.noAnswer || ""); return null; }
  }
  function toast(message, rule) {
    const sign = byId("toast");
    sign.textContent = message + " ";
    if (rule) { const link = document.createElement("a"); link.href = "/rules#" + rule; link.textContent = rule; link.className = "rule"; sign.append(link); }
    sign.hidden = false;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => { sign.hidden = true; }, 6000);
  }
  const busy = new Set();
  async function once(key, work) {
    if (busy.has(key) || body.classList.contains("fresh")) return null;
    busy.add(key);
    try { return await work(); } finally { busy.delete(key); }
  }
  const act = (prompt, action) => once(prompt, () => send("POST", "/api/v1/actions", { id: id(), prompt, action }));

  // What cannot be taken back says so and asks for a second tap, which no hurried double tap is; a tap elsewhere calls it off.
  let asked = null;
  function sure(button) {
    if (asked && asked.button !== button && asked.button.matches(".sure")) {
      asked.button.classList.remove("sure");
      asked.button.innerHTML = asked.label;
    }
    if (!button || !button.dataset.sure || button.matches(".sure")) return true;
    if (body.classList.contains("fresh")) return false;
    asked = { button, label: button.innerHTML };
    button.classList.add("sure");
    button.textContent = button.dataset.sure;
    freshen();
    return false;
  }
  document.addEventListener("click", async event => {
    const target = event.target.closest("button, [data-copy]");
    if (!sure(target) || !target || target.disabled) return;
    const d = target.dataset;
    if (d.api) {
      const [method, url] = d.api.split(" ");
      const done = await once(d.api, () => send(method, url, { ...(d.noId ? {} : { id: id() }), ...JSON.parse(d.send || "{}") }));
      if (done && d.then) location.assign(d.then);
    } else if (d.chance) {
      once(d.chance, () => send("POST", "/api/v1/chance", { id: id(), prompt: d.chance, seat: d.seat === "" ? null : Number(d.seat) }));
    } else if (d.send && d.prompt) {
      act(d.prompt, JSON.parse(d.send));
    } else if (target.matches(".chip") && target.closest("[data-many], [data-blind]")) {
      choose(target);
    } else if (d.step && target.closest("[data-many]")) {
      count(target);
    } else if (d.key) {
      press(target);
    }
  });
  // A list in which things repeat: each [data-value] has its own [data-count], and may add its worth to [data-sum].
  function count(button) {
    const form = button.closest("[data-many]"), by = Number(button.dataset.step);
    const counts = Array.from(form.querySelectorAll("[data-count]")), number = one => Number(one.textContent);
    const all = counts.reduce((sum, one) => sum + number(one), 0);
    const mine = button.closest("[data-value]").querySelector("[data-count]");
    if ((by > 0 && all >= Number(form.dataset.atMost)) || number(mine) + by < 0) return;
    mine.textContent = number(mine) + by;
    mine.classList.toggle("some", number(mine) > 0);
    const label = form.querySelector(".confirm span"), sum = form.querySelector("[data-sum]");
    label.textContent = all + by ? label.dataset.some : label.dataset.none;
    label.parentElement.disabled = all + by < Number(form.dataset.atLeast || 0);
    if (sum) sum.textContent = spoken(counts.reduce((worth, one) => worth + number(one) * Number(one.dataset.worth || 0), 0));
  }
  // Chosen chips are numbered in the order in which they were tapped: so cards lie on the table.
  const chosen = form => Array.from(form.querySelectorAll("[aria-pressed=true]")).sort((a, b) => a.dataset.nth - b.dataset.nth);
  function choose(chip) {
    const form = chip.closest("[data-many], [data-blind]"), least = Number(form.dataset.atLeast || 0);
    const on = chip.getAttribute("aria-pressed") !== "true", before = chosen(form);
    if (on && before.length >= Number(form.dataset.atMost)) return;
    chip.setAttribute("aria-pressed", on);
    chip.dataset.nth = before.length + 1;
    const now = chosen(form), label = form.querySelector(".confirm span"), enough = now.length >= Math.max(1, least);
    now.forEach((one, place) => { one.dataset.nth = place + 1; });
    label.textContent = enough ? label.dataset.some : label.dataset.none;
    label.parentElement.disabled = now.length < least;
  }
  function press(key) {
    const digits = key.closest("form").querySelector("[data-digits]");
    const sign = key.dataset.key, text = digits.textContent;
    digits.textContent = sign === "⌫" ? text.slice(0, -1) : (text + sign).slice(0, 6);
  }
  document.addEventListener("submit", event => {
    const form = event.target, d = form.dataset;
    if (d.many) {
      event.preventDefault();
      const values = chosen(form).map(chip => chip.dataset.value);
      for (const one of form.querySelectorAll("[data-count]")) values.push(...Array(Number(one.textContent)).fill(one.closest("[data-value]").dataset.value));
      const action = { ...JSON.parse(d.action), [d.many]: values };
      if ("preview" in d) location.search = "?action=" + encodeURIComponent(JSON.stringify(action)); else act(d.prompt, action);
    } else if ("picks" in d) {
      event.preventDefault();
      const picked = Object.fromEntries(Array.from(new FormData(form), ([name, value]) => [name, Number(value)]));
      act(d.prompt, { ...JSON.parse(d.action), ...picked });
    } else if (d.keypad) {
      event.preventDefault();
      const digits = form.querySelector("[data-digits]");
      const number = Number(digits.textContent);
      digits.textContent = "";
      if (Number.isFinite(number)) act(d.prompt, { ...JSON.parse(d.action), [d.keypad]: number });
    }
  });
  document.addEventListener("contextmenu", event => { if (data.kind === "kiosk") event.preventDefault(); });

  window.smugglers = { act, chosen, send, id, toast };
  settle();
  connect();
  requestAnimationFrame(tick);
})();

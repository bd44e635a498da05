// The phone: cards lie face down until a thumb rests on them.
"use strict";
(() => {
  const show = on => { for (const hand of document.querySelectorAll("[data-peek]")) hand.classList.toggle("up", on); };
  document.addEventListener("pointerdown", event => { if (event.target.closest(".own")) show(true); });
  for (const sign of ["pointerup", "pointercancel", "visibilitychange"]) document.addEventListener(sign, () => show(false));
})();

// A wall is not touched: its links show only while somebody uses its mouse or keyboard.
const STAYS_MS = 8000;
let timer;
const leave = () => document.body.classList.remove("attended");
function come() {
  document.body.classList.add("attended");
  clearTimeout(timer);
  timer = setTimeout(leave, STAYS_MS);
}
for (const sign of ["pointermove", "pointerdown", "keydown"]) document.addEventListener(sign, come);

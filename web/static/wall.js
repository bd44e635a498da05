// Nobody touches a wall: its links show while somebody is at its mouse or its keys.
const STAYS_MS = 8000;
let timer;
const leave = () => document.body.classList.remove("attended");
function come() {
  document.body.classList.add("attended");
  clearTimeout(timer);
  timer = setTimeout(leave, STAYS_MS);
}
for (const sign of ["pointermove", "pointerdown", "keydown"]) document.addEventListener(sign, come);

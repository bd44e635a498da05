// The touchscreen dims when nobody is there.
const dimmer = document.getElementById("dimmer");
if (dimmer) {
  const after = Number(document.body.dataset.dimAfterS) * 1000;
  let timer;
  const wake = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      dimmer.hidden = false;
      document.dispatchEvent(new Event("dimmed"));
    }, after);
  };
  dimmer.addEventListener("click", event => {
    event.stopPropagation();
    dimmer.hidden = true;
    wake();
  });
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

// The calibrations: the panel is fetched anew while something runs, and left alone while somebody chooses.
const desk = document.getElementById("desk");
const stage = () => desk.firstElementChild && desk.firstElementChild.dataset.stage;
let failed = 0;
async function look() {
  const before = stage();
  if (before === "running" || before === "asking") {
    const answer = await fetch("/host/calibration/panel").catch(() => null);
    failed = answer && answer.ok ? 0 : failed + 1;
    if (failed > 10) {
      location.reload();
      return;
    }
    if (answer && answer.ok) {
      const page = document.createElement("div");
      page.innerHTML = await answer.text();
      const now = page.firstElementChild.dataset.stage;
      // A list that is open would close under the finger.
      if (now !== "asking" || before !== "asking") Idiomorph.morph(desk, page.innerHTML, { morphStyle: "innerHTML" });
    }
  }
  setTimeout(look, 250);
}
look();

// The calibration page: fetches the panel again while a calibration runs, but not while a person chooses.
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
      // An update would discard the person's choice.
      if (now !== "asking" || before !== "asking") Idiomorph.morph(desk, page.innerHTML, { morphStyle: "innerHTML" });
    }
  }
  setTimeout(look, 250);
}
look();

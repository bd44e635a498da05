// Keeps a tap on a control that needs a script until all scripts have run. Otherwise a tap on a page whose scripts
// come late would be lost. Of several taps the last one counts.
{
  const NEEDS_SCRIPT =
    "button[data-api], button[data-send], button[data-chance], [data-many] button, [data-action] button, [data-command] button, " +
    "button[type=button]:not([popovertarget], [data-look])";
  let tapped = null;
  const keep = event => {
    const button = event.target.closest(NEEDS_SCRIPT);
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    tapped = button;
  };
  addEventListener("click", keep, true);
  addEventListener("DOMContentLoaded", () => {
    removeEventListener("click", keep, true);
    tapped?.click();
  });
}

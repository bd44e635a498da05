// The dialog `#keyboard`, in which names are tapped or typed: the touchscreen has no keyboard.
const keyboard = document.getElementById("keyboard");
const typed = keyboard.querySelector("[data-typed]");
let done = null;
let upper = true;

// Opens the dialog with `text` and calls `then` with the trimmed name. `byKeys`: it was opened from a real keyboard.
export function askName(text, byKeys, then) {
  done = then;
  tabbed = byKeys;
  typed.textContent = text;
  upper = !typed.textContent;
  cap();
  keyboard.showModal();
}
function type(sign) {
  if (sign === "⇧") {
    upper = !upper;
    cap();
    return;
  }
  if (sign === "⏎") {
    finish();
    return;
  }
  if (sign === "⌫") typed.textContent = Array.from(typed.textContent).slice(0, -1).join("");
  else if (Array.from(typed.textContent).length < 16) {
    typed.textContent += upper && sign !== "ß" ? sign.toUpperCase() : sign;
    upper = false;
  }
  if (!typed.textContent) upper = true;
  cap();
}
function cap() {
  for (const key of keyboard.querySelectorAll(".keys [data-type]"))
    if (key.dataset.type.length === 1 && /\p{L}/u.test(key.dataset.type))
      key.textContent = upper && key.dataset.type !== "ß" ? key.dataset.type.toUpperCase() : key.dataset.type;
}
function finish() {
  keyboard.close();
  done(typed.textContent.trim());
}
// After Tab, or if opened from a keyboard, Enter and Space press the focused button. Otherwise all keys type the name.
let tabbed = false;
document.addEventListener("pointerdown", () => (tabbed = false));
document.addEventListener("keydown", event => {
  if (!keyboard.open || (event.ctrlKey && !event.altKey) || event.metaKey) return;
  tabbed = event.key === "Tab" || event.key === "Shift" || (tabbed && (event.key === "Enter" || event.key === " "));
  if (tabbed) return;
  // Enter and Space would press the focused button, which may be another guest's name.
  if (event.key === "Enter" || event.key === " ") event.preventDefault();
  if (event.key === "Enter") finish();
  else if (event.key === "Backspace") type("⌫");
  else if (Array.from(event.key).length === 1) {
    upper = event.key !== event.key.toLowerCase();
    type(event.key.toLowerCase());
  }
});
keyboard.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("chip" in button.dataset) {
    typed.textContent = button.textContent;
    finish();
  } else if (button.dataset.type) type(button.dataset.type);
});

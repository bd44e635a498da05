// The dialog `#keyboard`, in which names are tapped or typed: the touchscreen has no keyboard.
const keyboard = document.getElementById("keyboard");
const typed = keyboard.querySelector("[data-typed]");
const MOST_SIGNS = 16;
let done = null;
let upper = true;

// Opens the dialog with `text` and calls `then` with the trimmed name.
export function askName(text, then) {
  done = then;
  tabbed = false;
  typed.value = text;
  upper = !typed.value;
  cap();
  keyboard.showModal();
  typed.focus();
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
  if (sign === "⌫") typed.value = Array.from(typed.value).slice(0, -1).join("");
  else typed.value += upper && sign !== "ß" ? sign.toUpperCase() : sign;
  written();
}
function written() {
  const signs = Array.from(typed.value);
  if (signs.length > MOST_SIGNS) typed.value = signs.slice(0, MOST_SIGNS).join("");
  upper = !typed.value;
  cap();
}
function cap() {
  for (const key of keyboard.querySelectorAll(".keys [data-type]"))
    if (key.dataset.type.length === 1 && /\p{L}/u.test(key.dataset.type))
      key.textContent = upper && key.dataset.type !== "ß" ? key.dataset.type.toUpperCase() : key.dataset.type;
}
function finish() {
  keyboard.close();
  done(typed.value.trim());
}
// After Tab, Enter and Space press the focused button. Otherwise all keys type the name. What is composed by an input
// method, chosen or pasted is typed, too; signs that are still being composed are not counted.
let tabbed = false;
document.addEventListener("pointerdown", () => (tabbed = false));
document.addEventListener("keydown", event => {
  if (!keyboard.open || event.isComposing || (event.ctrlKey && !event.altKey) || event.metaKey) return;
  tabbed = event.key === "Tab" || event.key === "Shift" || (tabbed && (event.key === "Enter" || event.key === " "));
  if (tabbed) return;
  if (event.key === "Enter") {
    // It would press the focused button, which may be another guest's name.
    event.preventDefault();
    finish();
  } else typed.focus();
});
typed.addEventListener("input", event => event.isComposing || written());
typed.addEventListener("compositionend", written);
keyboard.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("chip" in button.dataset) {
    typed.value = button.textContent;
    finish();
  } else if (button.dataset.type) type(button.dataset.type);
});

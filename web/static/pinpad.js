// The keypad for the PIN: the touchscreen has no keyboard.
const pinpad = document.querySelector("[data-pinpad]");
pinpad.addEventListener("click", event => {
  const digit = event.target.dataset && event.target.dataset.digit;
  const input = pinpad.elements.pin;
  if (digit) input.value = digit === "⌫" ? input.value.slice(0, -1) : input.value + digit;
});

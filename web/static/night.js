// The touchscreen's page of a league night: guests are added by a name that is tapped or typed.
import { askName } from "/static/keyboard.js";

const form = document.getElementById("come");
for (const button of document.querySelectorAll("[data-come]"))
  button.addEventListener("click", event =>
    askName("", event.detail === 0, name => {
      if (!name) return;
      form.elements.name.value = name;
      form.submit();
    }),
  );

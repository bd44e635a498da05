// The touchscreen's page of a league night: guests are added by a name that is tapped or typed.
import { askName } from "/static/keyboard.js";

const form = document.getElementById("come");
// A page that refuses a guest is the answer to a form: loaded again, it is the night's page.
history.replaceState(null, "", "/night" + location.search);
const refused = document.querySelector("#keyboard [data-refused]");
function ask(text) {
  askName(text, name => {
    if (!name) return;
    form.elements.name.value = name;
    form.submit();
  });
}
for (const button of document.querySelectorAll("[data-come]"))
  button.addEventListener("click", () => {
    if (refused) refused.remove();
    ask("");
  });
if (refused) ask(document.querySelector("#keyboard [data-typed]").value);

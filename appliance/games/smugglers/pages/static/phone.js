// The hidden piece stays on this phone. Only SHA-256(salt + piece) leaves it, and the salt when its owner shows it.
import { keep as store, kept } from "/static/storage.js";
import { act } from "/static/taps.js";
import "/static/vendor/sha256.min.js";

const read = key => {
  try {
    return JSON.parse(kept("hidden." + key));
  } catch {
    return null;
  }
};
const keep = (key, secret) => store("hidden." + key, JSON.stringify(secret));
const hex = bytes => Array.from(bytes, b => b.toString(16).padStart(2, "0")).join("");
const seat = Number(document.body.dataset.seat);

async function hide(section, piece) {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const hash = sha256.create();
  hash.update(salt);
  hash.update(piece);
  const key = section.dataset.commitKey;
  const before = read(key);
  keep(key, { piece, salt: hex(salt) });
  const done = await act(section.dataset.commit, { do: "commit", seat, seal: hash.hex() });
  if (done === null) keep(key, before); // what was not answered may have counted
  settled();
}
function unseal(section) {
  const prompt = section.dataset.unseal;
  const round = Number(/^r(\d+)\./.exec(prompt)[1]);
  const secret = read(`${document.body.dataset.game}.${seat}.${round}`);
  if (secret) act(prompt, { do: "unseal", seat, piece: secret.piece, salt: secret.salt });
}
function settled() {
  for (const section of document.querySelectorAll("[data-reminder]")) {
    const secret = read(section.dataset.reminder);
    section.hidden = !secret;
    for (const piece of section.querySelectorAll("[data-piece]"))
      piece.hidden = !secret || piece.dataset.piece !== secret.piece;
  }
  for (const section of document.querySelectorAll("[data-unseal]")) {
    const round = /^r(\d+)\./.exec(section.dataset.unseal)[1];
    section.hidden = !read(`${document.body.dataset.game}.${seat}.${round}`);
  }
}
document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button || button.disabled) return;
  if (button.dataset.hide) hide(button.closest("[data-commit]"), button.dataset.hide);
  else if ("showSeal" in button.dataset) unseal(button.closest("[data-unseal]"));
});
document.addEventListener("settled", settled);
settled();

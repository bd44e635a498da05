// The hidden piece stays on this phone. Only SHA-256(salt + piece) leaves it, and the salt when its owner shows it.
import { id } from "/static/live.js";
import { send, wasTaken } from "/static/send.js";
import { keep as store, kept } from "/static/storage.js";
import { act, once } from "/static/taps.js";
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
const bytes = text => text.match(/../g).map(two => parseInt(two, 16));
const seat = Number(document.body.dataset.seat);

const ACTIONS = ["POST", "/api/v1/actions"];
function commit({ piece, salt, sent }) {
  const hash = sha256.create();
  hash.update(bytes(salt));
  hash.update(piece);
  return { ...sent, action: { do: "commit", seat, seal: hash.hex() } };
}
// What is kept is the last { piece, salt }. Until the table has answered, `sent` is the id and the prompt of its request,
// and `before` is what was kept until then: either may be the one that the table has.
async function hide(section, piece) {
  const key = section.dataset.commitKey;
  const prompt = section.dataset.commit;
  await once(prompt, async () => {
    const before = await confirmed(key);
    if (before === undefined) return;
    const secret = { piece, salt: hex(crypto.getRandomValues(new Uint8Array(16))) };
    const asked = { ...secret, sent: { id: id(), prompt }, before };
    keep(key, asked);
    const done = await send(...ACTIONS, commit(asked));
    if (done !== undefined) decided(key, asked, done ? secret : before);
  });
  settled();
}
// Returns what the table has; undefined while it does not answer.
async function confirmed(key) {
  const secret = read(key);
  if (!secret || !secret.sent) return secret;
  const taken = await wasTaken(...ACTIONS, commit(secret));
  if (taken === undefined) return undefined;
  const { piece, salt, before } = secret;
  decided(key, secret, taken ? { piece, salt } : before);
  return confirmed(key);
}
// Another tab of this phone may have sealed again meanwhile: what it keeps is newer.
function decided(key, { sent }, secret) {
  const now = read(key);
  if (now && now.sent && now.sent.id === sent.id) keep(key, secret);
}
async function unseal(section) {
  const prompt = section.dataset.unseal;
  const key = keyOf(prompt);
  const secret = await once(key, () => confirmed(key));
  if (secret) act(prompt, { do: "unseal", seat, piece: secret.piece, salt: secret.salt });
  settled();
}
const keyOf = prompt => `${document.body.dataset.game}.${seat}.${/^r(\d+)\./.exec(prompt)[1]}`;
function settled() {
  for (const section of document.querySelectorAll("[data-reminder]")) {
    const secret = read(section.dataset.reminder);
    section.hidden = !secret;
    for (const piece of section.querySelectorAll("[data-piece]"))
      piece.hidden = !secret || piece.dataset.piece !== secret.piece;
  }
  for (const section of document.querySelectorAll("[data-unseal]"))
    section.hidden = !read(keyOf(section.dataset.unseal));
}
document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button || button.disabled) return;
  if (button.dataset.hide) hide(button.closest("[data-commit]"), button.dataset.hide);
  else if ("showSeal" in button.dataset) unseal(button.closest("[data-unseal]"));
});
document.addEventListener("settled", settled);
settled();

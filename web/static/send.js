// Sends a tap once and shows its result if the page itself does not.
const body = document.body;
const data = body.dataset;

const PATIENCE_MS = 6000; // timeout of a request
const BACK_MS = 15000; // how long a tap waits for the connection to come back

// A tap without a connection is not sent, and a message says so. A request that was running when the connection broke
// is sent again when it is back; its id makes the table count it once. A request without an answer, or whose answer is
// that the table is busy (503), keeps its id when it is tapped again, until the next update of the page.
const unanswered = new Map();
document.addEventListener("settled", () => unanswered.clear());
let running = 0; // how many taps wait for their answers
document.addEventListener("lost", () => running && waiting());
// Returns the table's answer; null if the tap was refused or not sent, undefined if there was no answer.
// `refused` is called with the code of a refusal.
export async function send(method, url, payload, refused = () => {}) {
  if (body.classList.contains("offline")) {
    toast(data.notSent || "");
    return null;
  }
  const tapped = JSON.stringify([method, url, { ...payload, id: null }]);
  if (unanswered.has(tapped)) payload.id = unanswered.get(tapped);
  running += 1;
  let answer = await asked(method, url, payload);
  if (!answer && payload.id && data.kind && (await heardAgain())) answer = await asked(method, url, payload);
  running -= 1;
  const sign = document.getElementById("toast");
  if (answer && !running && sign.textContent.trim() === data.onItsWay) sign.hidden = true;
  if (payload.id && (!answer || answer.status === 503)) unanswered.set(tapped, payload.id);
  else unanswered.delete(tapped);
  if (!answer) {
    toast(data.noAnswer || "");
    return undefined;
  }
  if (!answer.ok) {
    toast(answer.said.message, answer.said.rule);
    refused(answer.said.code);
  }
  // What the table was too busy to answer it may still do.
  return answer.ok ? answer.said : answer.status === 503 ? undefined : null;
}
// Asks what became of a request that got no answer. Its id makes it count once. Returns true if the table took it,
// false if it refused it, undefined while there is no answer.
export async function wasTaken(method, url, payload) {
  const answer = await asked(method, url, payload);
  if (answer && answer.status !== 503) return answer.ok;
  toast(data.noAnswer || "");
  return undefined;
}
// Says that a running request is kept while the connection is lost.
export function waiting() {
  if (body.classList.contains("offline")) toast(data.onItsWay || "");
}
async function asked(method, url, payload) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(url, {
      method,
      headers: { Accept: "application/json", "Content-Type": "application/json" },
      body: JSON.stringify(payload),
      signal: patience.signal,
    });
    return { ok: answer.ok, status: answer.status, said: await answer.json() };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
function heardAgain() {
  return new Promise(done => {
    const back = () => settle(true);
    const timer = setTimeout(() => settle(false), BACK_MS);
    function settle(is) {
      clearTimeout(timer);
      document.removeEventListener("heard", back);
      done(is);
    }
    document.addEventListener("heard", back);
  });
}
export function toast(message, rule) {
  const sign = document.getElementById("toast");
  (document.querySelector("dialog.curtain") || body).append(sign);
  sign.textContent = message + " ";
  if (rule) {
    const link = document.createElement("a");
    link.href = "/rules#" + rule;
    link.textContent = rule;
    link.className = "rule";
    sign.append(link);
  }
  sign.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => {
    sign.hidden = true;
  }, 6000);
}

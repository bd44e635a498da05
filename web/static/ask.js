// Fetches a page or a file, with a time limit. A network that changes leaves requests open for minutes, and a script that
// waits for one sends no other.
const BEGINS_MS = 6000;
const ENDS_MS = 30000; // the pictures of a roll have 1 MB, and others share the network

// Returns { ok, status, redirected, url, body }, the body as a Blob; null if the answer is missing or incomplete.
export async function ask(address, method = "GET") {
  const patience = new AbortController();
  const wait = ms => setTimeout(() => patience.abort(), ms);
  let timer = wait(BEGINS_MS);
  try {
    const answer = await fetch(address, { method, signal: patience.signal });
    clearTimeout(timer);
    timer = wait(ENDS_MS);
    const { ok, status, redirected, url } = answer;
    return { ok, status, redirected, url, body: await answer.blob() };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

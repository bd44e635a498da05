// Asks the table for a page or a file. What takes too long does not come any more: a network that changes leaves requests
// open for minutes, and who waits for one asks for nothing else.
const BEGINS_MS = 6000;
const ENDS_MS = 30000; // pictures of a roll have 1 MB, and others share the network

// Returns { ok, status, redirected, url, body }, the body as a Blob; null where nothing came, or not all of it.
export async function ask(address) {
  const patience = new AbortController();
  const wait = ms => setTimeout(() => patience.abort(), ms);
  let timer = wait(BEGINS_MS);
  try {
    const answer = await fetch(address, { signal: patience.signal });
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

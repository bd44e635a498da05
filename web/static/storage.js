// What the browser keeps for this address: text by a name. One that may not (by its settings, or for a frame on another
// site's page) or that has no room keeps it as long as the page is open.
const here = new Map();

export function kept(name) {
  if (here.has(name)) return here.get(name);
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
export function keep(name, text) {
  here.delete(name);
  try {
    localStorage.setItem(name, text);
  } catch {
    here.set(name, text);
  }
}

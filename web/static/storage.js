// Stores text by name in the browser. If storage is refused (by its settings, or in a frame on another site's page) or
// full, the text is kept in memory until the page is left.
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

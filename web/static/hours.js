// Hours of the day that the host chose: from 22 until 8 lasts over midnight; equal hours mean never.
export function within(from, until) {
  const now = new Date().getHours();
  return from < until ? now >= from && now < until : from > until && (now >= from || now < until);
}

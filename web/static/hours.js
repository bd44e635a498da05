// Returns whether it is within the host's hours now. From 22 until 8 includes midnight; equal hours mean never.
export function within(from, until) {
  const now = new Date().getHours();
  return from < until ? now >= from && now < until : from > until && (now >= from || now < until);
}

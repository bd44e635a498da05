// Returns whether it is within the host's hours now. From 22 until 8 includes midnight; equal hours mean never.
// The hours are those of the table's time zone: a television or a guest's phone may be set to another one.
const { timeZone } = document.body.dataset;

function hour() {
  try {
    if (timeZone) return Number(new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone }).format());
  } catch {
    // An old browser does not know every zone.
  }
  return new Date().getHours();
}
export function within(from, until) {
  const now = hour();
  return from < until ? now >= from && now < until : from > until && (now >= from || now < until);
}

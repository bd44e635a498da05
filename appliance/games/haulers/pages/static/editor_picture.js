// Makes a picture of the owner's board small, and sends it to the table.
import { toast } from "/static/send.js";

const WIDEST_PX = 1600;

// Returns the width and height that the table kept, or null where it is no picture.
export async function loaded(file, address, refused) {
  try {
    const whole = await createImageBitmap(file);
    const scale = Math.min(1, WIDEST_PX / Math.max(whole.width, whole.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(whole.width * scale);
    canvas.height = Math.round(whole.height * scale);
    canvas.getContext("2d").drawImage(whole, 0, 0, canvas.width, canvas.height);
    const small = await new Promise(done => canvas.toBlob(done, "image/jpeg", 0.85));
    const headers = { Accept: "application/json", "Content-Type": "image/jpeg" };
    const answer = await fetch(address, { method: "POST", headers, body: small });
    const said = await answer.json();
    if (answer.ok) return said;
    toast(said.message || refused);
  } catch {
    toast(refused);
  }
  return null;
}

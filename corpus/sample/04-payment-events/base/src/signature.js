import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether `signature` (hex) was made over `body` with the shared secret. */
export function isSigned(body, signature, secret) {
  const expected = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(signature ?? "", "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

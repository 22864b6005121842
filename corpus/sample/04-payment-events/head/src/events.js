import { noticeFor } from "./dunning.js";

const SIGNS = { "payment.succeeded": 1, "payment.refunded": -1 };

/** Applies one provider event: books the amount, then tells the dunning partner where one is set. */
export async function applyEvent(database, partner, event) {
  const known = await database.run("SELECT 1 FROM handled_event WHERE id = $1", [event.id]);
  if (known.rowCount > 0) return "repeated";
  const sign = SIGNS[event.type];
  if (sign === undefined) return "ignored";

  const { account, amount_cents: amount } = event.data;
  await database.run("UPDATE account SET balance_cents = balance_cents + $1 WHERE id = $2", [
    sign * amount,
    account,
  ]);
  const notice = await noticeFor(database, account);
  if (notice) await partner.send(notice);
  await database.run("INSERT INTO handled_event (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", [
    event.id,
  ]);
  return "applied";
}

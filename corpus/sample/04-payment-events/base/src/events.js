/** Applies one provider event to the ledger inside a transaction. */
export async function applyEvent(database, event) {
  return database.transaction(async (tx) => {
    // The insert fails silently when the id is already there.
    const inserted = await tx.run(
      "INSERT INTO handled_event (id) VALUES ($1) ON CONFLICT (id) DO NOTHING",
      [event.id],
    );
    if (inserted.rowCount === 0) return "repeated";
    switch (event.type) {
      case "payment.succeeded":
        await tx.run("UPDATE account SET balance_cents = balance_cents + $1 WHERE id = $2", [
          event.data.amount_cents,
          event.data.account,
        ]);
        return "applied";
      case "payment.refunded":
        await tx.run("UPDATE account SET balance_cents = balance_cents - $1 WHERE id = $2", [
          event.data.amount_cents,
          event.data.account,
        ]);
        return "applied";
      default:
        return "ignored";
    }
  });
}

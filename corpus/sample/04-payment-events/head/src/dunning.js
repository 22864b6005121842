/** What the dunning partner is told about an account, or null where it is not in dunning. */
export async function noticeFor(database, account) {
  const found = await database.run(
    "SELECT a.balance_cents, d.case_number FROM account a JOIN dunning d ON d.account = a.id" +
      " WHERE a.id = $1 AND d.closed_at IS NULL",
    [account],
  );
  if (found.rowCount === 0) return null;
  const [row] = found.rows;
  return {
    caseNumber: row.case_number,
    openCents: Math.max(0, -row.balance_cents),
    settled: row.balance_cents >= 0,
  };
}

/** A client of the partner's address; `send` throws when the answer is not 2xx. */
export function createPartner(address, fetcher = fetch) {
  return {
    async send(notice) {
      const answer = await fetcher(`${address}/cases/${encodeURIComponent(notice.caseNumber)}`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ open_cents: notice.openCents, settled: notice.settled }),
        signal: AbortSignal.timeout(10_000),
      });
      if (!answer.ok) throw new Error(`partner answered ${answer.status}`);
    },
  };
}

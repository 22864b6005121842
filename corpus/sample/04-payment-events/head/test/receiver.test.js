import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Background } from "../src/background.js";
import { applyEvent } from "../src/events.js";
import { createReceiver } from "../src/receiver.js";

const secret = "s3";
const log = { info() {} };

function delivery(event) {
  const body = Buffer.from(JSON.stringify(event));
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return { headers: { "x-signature": signature }, body };
}

function memoryDatabase({ dunning = [] } = {}) {
  const handled = new Set();
  const balances = new Map();
  const run = async (sql, values) => {
    if (sql.startsWith("SELECT 1 FROM handled_event")) return { rowCount: handled.has(values[0]) ? 1 : 0 };
    if (sql.startsWith("INSERT INTO handled_event")) {
      handled.add(values[0]);
      return { rowCount: 1 };
    }
    if (sql.startsWith("UPDATE account")) {
      balances.set(values[1], (balances.get(values[1]) ?? 0) + values[0]);
      return { rowCount: 1 };
    }
    const rows = dunning
      .filter((entry) => entry.account === values[0])
      .map((entry) => ({ case_number: entry.caseNumber, balance_cents: balances.get(entry.account) ?? 0 }));
    return { rows, rowCount: rows.length };
  };
  return { balances, run };
}

function setUp({ dunning } = {}) {
  const database = memoryDatabase({ dunning });
  const sent = [];
  const partner = { send: async (notice) => void sent.push(notice) };
  const background = new Background({ work: (event) => applyEvent(database, partner, event), workers: 2, log });
  return { database, sent, background, receive: createReceiver({ background, secret }) };
}

const paid = { id: "e1", type: "payment.succeeded", data: { account: "a1", amount_cents: 500 } };

test("a delivery is accepted and booked in the background", async () => {
  const { database, background, receive } = setUp();
  assert.equal((await receive(delivery(paid))).status, 202);
  await background.idle();
  assert.equal(database.balances.get("a1"), 500);
});

test("a later repeat is booked once", async () => {
  const { database, background, receive } = setUp();
  await receive(delivery(paid));
  await background.idle();
  await receive(delivery(paid));
  await background.idle();
  assert.equal(database.balances.get("a1"), 500);
});

test("the dunning partner hears of a payment", async () => {
  const { sent, background, receive } = setUp({ dunning: [{ account: "a1", caseNumber: "D-7" }] });
  await receive(delivery(paid));
  await background.idle();
  assert.deepEqual(sent, [{ caseNumber: "D-7", openCents: 0, settled: true }]);
});

test("a refund lowers the balance", async () => {
  const { database, background, receive } = setUp();
  await receive(delivery({ ...paid, id: "e2", type: "payment.refunded" }));
  await background.idle();
  assert.equal(database.balances.get("a1"), -500);
});

test("an unsigned delivery is refused", async () => {
  const { receive } = setUp();
  assert.equal((await receive({ headers: {}, body: Buffer.from("{}") })).status, 401);
});

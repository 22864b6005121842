import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createReceiver } from "../src/receiver.js";

const secret = "s3";
const log = { info() {} };

function delivery(event) {
  const body = Buffer.from(JSON.stringify(event));
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return { headers: { "x-signature": signature }, body };
}

function memoryDatabase() {
  const handled = new Set();
  const balances = new Map();
  const run = async (sql, values) => {
    if (sql.startsWith("INSERT INTO handled_event")) {
      if (handled.has(values[0])) return { rowCount: 0 };
      handled.add(values[0]);
      return { rowCount: 1 };
    }
    const sign = sql.includes("+ $1") ? 1 : -1;
    balances.set(values[1], (balances.get(values[1]) ?? 0) + sign * values[0]);
    return { rowCount: 1 };
  };
  return { balances, transaction: (work) => work({ run }) };
}

test("a repeated event is booked once", async () => {
  const database = memoryDatabase();
  const receive = createReceiver({ database, secret, log });
  const event = { id: "e1", type: "payment.succeeded", data: { account: "a1", amount_cents: 500 } };
  assert.equal((await receive(delivery(event))).text, "applied");
  assert.equal((await receive(delivery(event))).text, "repeated");
  assert.equal(database.balances.get("a1"), 500);
});

test("an unsigned delivery is refused", async () => {
  const receive = createReceiver({ database: memoryDatabase(), secret, log });
  assert.equal((await receive({ headers: {}, body: Buffer.from("{}") })).status, 401);
});

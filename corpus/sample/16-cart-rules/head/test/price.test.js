import assert from "node:assert/strict";
import { test } from "node:test";
import { price } from "../src/price.js";

const tea = { sku: "tea", cents: 333, quantity: 7, group: "classic" };
const pot = { sku: "pot", cents: 2999, quantity: 1, group: "ware" };

test("every third classic is free", () => {
  assert.deepEqual(price({ lines: [tea] }).lines, [{ sku: "tea", amount: 1665, notes: ["2 free"] }]);
});

test("members pay less, rounded in their favour", () => {
  const result = price({ lines: [tea, pot], member: true });
  assert.deepEqual(result.lines.map((line) => line.amount), [1581, 2849]);
  assert.deepEqual(result.lines[0].notes, ["2 free", "member"]);
});

test("a voucher goes down to nothing and leaves shipping", () => {
  const result = price({ lines: [pot], voucher: { cents: 5000 } });
  assert.deepEqual([result.voucher, result.goods, result.total], [2999, 0, 490]);
});

test("shipping is free from 5,000 of goods and for pick-up", () => {
  assert.equal(price({ lines: [{ ...pot, cents: 5000 }] }).shipping, 0);
  assert.equal(price({ lines: [{ ...pot, cents: 4999 }] }).shipping, 490);
  assert.equal(price({ lines: [pot], pickUp: true }).shipping, 0);
  assert.equal(price({ lines: [{ ...pot, cents: 5000 }], voucher: { cents: 1 } }).shipping, 490);
});

test("quantities are positive whole numbers", () => {
  for (const quantity of [0, -1, 1.5, "2", undefined]) {
    assert.throws(() => price({ lines: [{ ...pot, quantity }] }), RangeError);
  }
});

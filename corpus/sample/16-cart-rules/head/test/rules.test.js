import assert from "node:assert/strict";
import { test } from "node:test";
import { memberPrice } from "../src/rules/memberPrice.js";
import { shippingFor } from "../src/rules/shipping.js";
import { threeForTwo } from "../src/rules/threeForTwo.js";
import { usedVoucher } from "../src/rules/voucher.js";

test("three for two starts with the third piece", () => {
  const line = { sku: "tea", cents: 100, group: "classic" };
  assert.equal(threeForTwo({ ...line, quantity: 2 }, 200), null);
  assert.deepEqual(threeForTwo({ ...line, quantity: 3 }, 300), { amount: 200, note: "1 free" });
  assert.equal(threeForTwo({ ...line, quantity: 3, group: "ware" }, 300), null);
});

test("a line of nothing needs no member price", () => {
  assert.equal(memberPrice({}, 0, { member: true }), null);
  assert.equal(memberPrice({}, 100, { member: false }), null);
  assert.deepEqual(memberPrice({}, 99, { member: true }), { amount: 94, note: "member" });
});

test("a cart without a voucher uses none", () => {
  assert.equal(usedVoucher({}, 100), 0);
  assert.equal(usedVoucher({ voucher: { cents: 30 } }, 100), 30);
});

test("shipping depends on the goods after all rules", () => {
  assert.equal(shippingFor({}, 4999), 490);
  assert.equal(shippingFor({}, 5000), 0);
  assert.equal(shippingFor({ pickUp: true }, 0), 0);
});

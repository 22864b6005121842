import { memberPrice } from "./rules/memberPrice.js";
import { shippingFor } from "./rules/shipping.js";
import { threeForTwo } from "./rules/threeForTwo.js";
import { usedVoucher } from "./rules/voucher.js";

/** In the order in which they apply. */
const LINE_RULES = [threeForTwo, memberPrice];

/** The price of a cart; see the README for the rules. */
export function price(cart) {
  const lines = cart.lines.map((line) => priceLine(line, cart));
  const before = lines.reduce((sum, line) => sum + line.amount, 0);
  const voucher = usedVoucher(cart, before);
  const goods = before - voucher;
  const shipping = shippingFor(cart, goods);
  return { lines, voucher, goods, shipping, total: goods + shipping };
}

function priceLine(line, cart) {
  if (!Number.isInteger(line.quantity) || line.quantity < 1) {
    throw new RangeError(`quantity of ${line.sku} must be a positive whole number`);
  }
  let amount = line.cents * line.quantity;
  const notes = [];
  for (const rule of LINE_RULES) {
    const result = rule(line, amount, cart);
    if (result === null) continue;
    amount = result.amount;
    notes.push(result.note);
  }
  return { sku: line.sku, amount, notes };
}

import type { Order } from "./model.js";
import { discountOf, totalsOf } from "./money.js";

/** The order as version 1 of the interface shows it. */
export function serializeOrder(order: Order) {
  const totals = totalsOf(order);
  return {
    id: order.id,
    placedAt: order.placedAt.toISOString(),
    currency: order.currency,
    lines: order.lines.map((line) => ({
      sku: line.sku,
      name: line.name,
      quantity: line.quantity,
      price: line.price,
      discount: discountOf(line),
    })),
    vouchers: totals.vouchers,
    shipping: order.shipping,
    total: totals.total,
  };
}

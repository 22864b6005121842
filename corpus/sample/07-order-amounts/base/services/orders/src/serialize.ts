import type { Order } from "./model.js";
import { totalOf } from "./money.js";

/** The order as version 1 of the interface shows it. */
export function serializeOrder(order: Order) {
  return {
    id: order.id,
    placedAt: order.placedAt.toISOString(),
    currency: order.currency,
    lines: order.lines.map((line) => ({
      sku: line.sku,
      name: line.name,
      quantity: line.quantity,
      price: line.price,
    })),
    shipping: order.shipping,
    total: totalOf(order),
  };
}

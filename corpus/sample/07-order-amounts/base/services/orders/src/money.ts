import type { Order } from "./model.js";

/** Rounds to two places; decimal sums drift. */
export function round(amount: number): number {
  return Math.round(amount * 100) / 100;
}

export function totalOf(order: Order): number {
  const goods = order.lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
  return round(goods + order.shipping);
}

import type { Minor, Order, OrderLine, Voucher } from "./model.js";

/** What is taken off a line; half a unit is rounded in the customer's favour. */
export function discountOf(line: OrderLine): Minor {
  return Math.round((line.price * line.quantity * line.discountPercent) / 100);
}

export function lineTotal(line: OrderLine): Minor {
  return line.price * line.quantity - discountOf(line);
}

export interface AppliedVoucher {
  code: string;
  amount: Minor;
}

/** Applies vouchers in order to the value of the goods until nothing is left; shipping is always paid. */
export function applyVouchers(goods: Minor, vouchers: readonly Voucher[]): AppliedVoucher[] {
  const applied: AppliedVoucher[] = [];
  let rest = goods;
  for (const voucher of vouchers) {
    const amount = Math.min(rest, voucher.amount);
    if (amount <= 0) break;
    applied.push({ code: voucher.code, amount });
    rest -= amount;
  }
  return applied;
}

export interface Totals {
  goods: Minor;
  vouchers: AppliedVoucher[];
  total: Minor;
}

export function totalsOf(order: Order): Totals {
  const goods = order.lines.reduce((sum, line) => sum + lineTotal(line), 0);
  const vouchers = applyVouchers(goods, order.vouchers);
  const taken = vouchers.reduce((sum, voucher) => sum + voucher.amount, 0);
  return { goods, vouchers, total: goods - taken + order.shipping };
}

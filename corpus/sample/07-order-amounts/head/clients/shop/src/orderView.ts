interface OrderAnswer {
  id: string;
  currency: string;
  lines: { name: string; quantity: number; price: number; discount: number }[];
  vouchers: { code: string; amount: number }[];
  shipping: number;
  total: number;
}

/** Formats an amount in the smallest unit; the number of digits follows the currency. */
function format(amount: number, currency: string): string {
  const formatter = new Intl.NumberFormat("en-GB", { style: "currency", currency });
  const digits = formatter.resolvedOptions().maximumFractionDigits ?? 2;
  return formatter.format(amount / 10 ** digits);
}

export interface OrderView {
  heading: string;
  rows: { name: string; amount: string }[];
  total: string;
}

/** What the order page of the shop shows. */
export function orderView(order: OrderAnswer): OrderView {
  const rows: OrderView["rows"] = [];
  for (const line of order.lines) {
    rows.push({
      name: `${line.quantity} × ${line.name}`,
      amount: format(line.price * line.quantity, order.currency),
    });
    if (line.discount > 0) rows.push({ name: "Discount", amount: format(-line.discount, order.currency) });
  }
  for (const voucher of order.vouchers) {
    rows.push({ name: `Voucher ${voucher.code}`, amount: format(-voucher.amount, order.currency) });
  }
  if (order.shipping > 0) rows.push({ name: "Shipping", amount: format(order.shipping, order.currency) });
  return { heading: `Order ${order.id}`, rows, total: format(order.total, order.currency) };
}

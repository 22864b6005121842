interface OrderAnswer {
  id: string;
  currency: string;
  lines: { name: string; quantity: number; price: number }[];
  shipping: number;
  total: number;
}

/** The receipt that the till prints, 40 characters wide. */
export function receipt(order: OrderAnswer): string {
  const rows = order.lines.map((line) =>
    row(`${line.quantity} x ${line.name}`, (line.quantity * line.price).toFixed(2)),
  );
  if (order.shipping > 0) rows.push(row("Shipping", order.shipping.toFixed(2)));
  rows.push("-".repeat(40), row(`Total ${order.currency}`, order.total.toFixed(2)));
  return rows.join("\n");
}

/** The amount that the till asks the card terminal for, in cents. */
export function chargeCents(order: OrderAnswer): number {
  return Math.round(order.total * 100);
}

function row(left: string, right: string): string {
  return left.slice(0, 39 - right.length).padEnd(40 - right.length) + right;
}

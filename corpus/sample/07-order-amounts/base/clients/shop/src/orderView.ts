interface OrderAnswer {
  id: string;
  currency: string;
  lines: { name: string; quantity: number; price: number }[];
  shipping: number;
  total: number;
}

function format(amount: number, currency: string): string {
  return new Intl.NumberFormat("en-GB", { style: "currency", currency }).format(amount);
}

export interface OrderView {
  heading: string;
  rows: { name: string; amount: string }[];
  total: string;
}

/** What the order page of the shop shows. */
export function orderView(order: OrderAnswer): OrderView {
  const rows = order.lines.map((line) => ({
    name: `${line.quantity} × ${line.name}`,
    amount: format(line.price * line.quantity, order.currency),
  }));
  if (order.shipping > 0) rows.push({ name: "Shipping", amount: format(order.shipping, order.currency) });
  return { heading: `Order ${order.id}`, rows, total: format(order.total, order.currency) };
}

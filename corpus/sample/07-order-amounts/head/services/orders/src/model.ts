/** A whole number in the smallest unit of the order's currency. */
export type Minor = number;

export interface OrderLine {
  sku: string;
  name: string;
  quantity: number;
  price: Minor;
  discountPercent: number;
}

export interface Voucher {
  code: string;
  amount: Minor;
}

export interface Order {
  id: string;
  customer: string;
  placedAt: Date;
  currency: string;
  lines: OrderLine[];
  vouchers: Voucher[];
  shipping: Minor;
}

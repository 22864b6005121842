export interface OrderLine {
  sku: string;
  name: string;
  quantity: number;
  price: number;
}

export interface Order {
  id: string;
  customer: string;
  placedAt: Date;
  currency: string;
  lines: OrderLine[];
  shipping: number;
}

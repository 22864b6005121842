import type { Order } from "./model.js";
import { serializeOrder } from "./serialize.js";

export interface OrderStore {
  find(id: string, customer: string): Promise<Order | null>;
}

export interface Answer {
  status: number;
  body: unknown;
}

/** GET /v1/orders/{id}, for the signed-in customer. */
export async function showOrder(store: OrderStore, customer: string, id: string): Promise<Answer> {
  const order = await store.find(id, customer);
  if (order === null) return { status: 404, body: { error: "no such order" } };
  return { status: 200, body: serializeOrder(order) };
}

export interface User {
  readonly id: string;
  readonly roles: readonly string[];
}

export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly total: number;
}

export async function findOrder(id: string): Promise<Order> {
  return { id, customer: 'ann', total: 10 };
}

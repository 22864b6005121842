const STANDARD_CENTS = 490;
const FREE_FROM_CENTS = 5000;

/** What shipping costs for goods of that value, after all other rules. */
export function shippingFor(cart, goods) {
  return cart.pickUp || goods >= FREE_FROM_CENTS ? 0 : STANDARD_CENTS;
}

const PERCENT_PAID = 95;

/** Members pay 95 % of what is left of a line, rounded down to the cent. */
export function memberPrice(line, amount, cart) {
  if (!cart.member) return null;
  const paid = Math.floor((amount * PERCENT_PAID) / 100);
  return paid === amount ? null : { amount: paid, note: "member" };
}

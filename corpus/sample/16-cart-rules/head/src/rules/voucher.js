/** How much of the voucher is used up by the goods. */
export function usedVoucher(cart, goods) {
  return cart.voucher ? Math.min(goods, cart.voucher.cents) : 0;
}

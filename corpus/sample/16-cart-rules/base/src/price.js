/** The price of a cart; see the README for the rules. */
export function price(cart) {
  const lines = [];
  let goods = 0;
  for (const line of cart.lines) {
    if (!Number.isInteger(line.quantity) || line.quantity < 1) {
      throw new RangeError(`quantity of ${line.sku} must be a positive whole number`);
    }
    let amount = line.cents * line.quantity;
    const notes = [];
    if (line.group === "classic") {
      const free = Math.floor(line.quantity / 3);
      if (free > 0) {
        amount -= free * line.cents;
        notes.push(`${free} free`);
      }
    }
    if (cart.member) {
      const paid = Math.floor((amount * 95) / 100);
      if (paid !== amount) {
        notes.push("member");
        amount = paid;
      }
    }
    goods += amount;
    lines.push({ sku: line.sku, amount, notes });
  }
  let voucher = 0;
  if (cart.voucher) {
    voucher = Math.min(goods, cart.voucher.cents);
    goods -= voucher;
  }
  let shipping = 490;
  if (cart.pickUp || goods >= 5000) {
    shipping = 0;
  }
  return { lines, voucher, goods, shipping, total: goods + shipping };
}

const GROUP = "classic";

/** Every third piece of a classic article is free. */
export function threeForTwo(line, amount) {
  if (line.group !== GROUP) return null;
  const free = Math.floor(line.quantity / 3);
  return free === 0 ? null : { amount: amount - free * line.cents, note: `${free} free` };
}

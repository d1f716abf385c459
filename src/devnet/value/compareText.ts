/**
 * Orders texts as the node orders the names in its maps: by the bytes of their UTF-8, which is the order of their
 * code points and not that of JavaScript's UTF-16 units.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

// Surrogates stand for code points above all that a single unit holds.
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

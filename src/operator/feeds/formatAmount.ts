/**
 * An attested amount as decimal text, exactly: every digit that the feed's decimals ask for.
 *
 * @example
 * ```ts
 * formatAmount(59910000n, 6) // '59.910000'
 * ```
 */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
}

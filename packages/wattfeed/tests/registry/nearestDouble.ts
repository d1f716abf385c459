/** The double nearest to `amount` / 10^`decimals`, ties to even, by exact integer arithmetic. */
export function nearestDouble(amount: bigint, decimals: number): number {
  if (amount === 0n) return 0
  const unit = 10n ** BigInt(decimals)
  let exponent = bitLength(amount) - bitLength(unit) - 53
  let mantissa = roundedQuotient(amount, unit, exponent)
  if (mantissa >= 2n ** 53n) mantissa = roundedQuotient(amount, unit, ++exponent)
  return Number(mantissa) * 2 ** exponent
}

const bitLength = (value: bigint): number => value.toString(2).length

/** `amount` / (`unit` × 2^`exponent`) as an integer, ties to even. */
function roundedQuotient(amount: bigint, unit: bigint, exponent: number): bigint {
  const dividend = exponent < 0 ? amount << BigInt(-exponent) : amount
  const divisor = exponent < 0 ? unit : unit << BigInt(exponent)
  const quotient = dividend / divisor
  const twiceTheRest = 2n * (dividend % divisor)
  const up = twiceTheRest > divisor || (twiceTheRest === divisor && quotient % 2n === 1n)
  return up ? quotient + 1n : quotient
}

/** Number of digits beyond the feed's decimals to try. Each takes ten times as many hashes. */
const MAX_CUT_DIGITS = 2
/** Number of zeros after the feed's decimals to try. */
const MAX_ZEROS = 8
/** Number of zeros after the digits of a mantissa to try. */
const MAX_MANTISSA_ZEROS = 2

/** Yields texts that EIA may have written before, which scale to an amount: plain, with zeros, with an exponent, and with more digits. */
export function* earlierTexts(amount: bigint, decimals: number): Generator<string> {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals)
  const shortest = fraction.replace(/0+$/, '')
  yield* plainTexts(whole, shortest)
  for (let length = shortest.length + 1; length <= decimals + MAX_ZEROS; length++)
    yield* plainTexts(whole, shortest.padEnd(length, '0'))
  yield* exponentTexts(digits, decimals)
  for (let length = 1; length <= MAX_CUT_DIGITS; length++)
    for (let rest = 1; rest < 10 ** length; rest++)
      yield* plainTexts(whole, fraction + String(rest).padStart(length, '0'))
}

function* plainTexts(whole: string, fraction: string): Generator<string> {
  const text = fraction === '' ? whole : `${whole}.${fraction}`
  yield text
  if (fraction === '') yield `${whole}.`
  if (whole === '0' && fraction !== '') yield text.slice(1)
}

/** Yields texts such as `1.5e3`, `15E2` and `1.50E+03`. */
function* exponentTexts(digits: string, decimals: number): Generator<string> {
  const significant = digits.replace(/^0+/, '')
  const mantissa = significant.replace(/0+$/, '')
  if (mantissa === '') return
  const exponent = significant.length - 1 - decimals
  const [first = '', rest] = [mantissa[0], mantissa.slice(1)]
  const forms: [mantissa: string, exponent: number][] = [[mantissa, exponent - rest.length]]
  for (let zeros = 0; zeros <= MAX_MANTISSA_ZEROS; zeros++) {
    const fraction = rest + '0'.repeat(zeros)
    forms.push([fraction === '' ? first : `${first}.${fraction}`, exponent])
  }
  for (const [text, power] of forms) {
    const size = String(Math.abs(power))
    for (const sign of power < 0 ? ['-'] : ['', '+'])
      for (const letter of ['e', 'E'])
        for (const padded of new Set([size, size.padStart(2, '0')])) yield `${text}${letter}${sign}${padded}`
  }
}

const DIGITS = 9

/** Motes as people write them: `172.5 CSPR`. */
export function formatCspr(motes: bigint): string {
  const digits = motes.toString().padStart(DIGITS + 1, '0')
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '')
  return `${digits.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`} CSPR`
}

/** Motes of a decimal number of CSPR, or null where the text is none. */
export function parseCspr(text: string): bigint | null {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(DIGITS, '0'))
}

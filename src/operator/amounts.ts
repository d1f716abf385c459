export const CSPR_DECIMALS = 9

/** Formats an amount as exact decimal text, with all its decimals. */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
}

/** Formats motes: `172.5 CSPR`. */
export const formatCspr = (motes: bigint): string =>
  `${formatAmount(motes, CSPR_DECIMALS).replace(/\.?0+$/, '')} CSPR`

export function parseCspr(text: string): bigint | null {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(CSPR_DECIMALS, '0'))
}

/** A transaction's payment and cost, in motes as text; null if nothing is sent, or if unknown. */
interface Motes {
  payment_motes: string | null
  charged_motes: string | null
}

/** Formats a transaction's cost or, before it is known, its payment; empty if nothing is sent. */
export function formatCost({ payment_motes, charged_motes }: Motes): string {
  if (charged_motes !== null) return `cost ${formatCspr(BigInt(charged_motes))}`
  return payment_motes === null ? '' : `pays ${formatCspr(BigInt(payment_motes))}`
}

/** The cost of a command. */
export interface Total {
  is_dry_run: boolean
  /** Upper bound of the payments, in motes. */
  payment_motes: string
  /** The charged amount, in motes. */
  charged_motes: string
}

export const formatTotal = (total: Total): string =>
  total.is_dry_run
    ? `would pay ${formatCspr(BigInt(total.payment_motes))} at most; nothing was sent`
    : `paid ${formatCspr(BigInt(total.charged_motes))}`

export const sumMotes = (all: readonly Motes[]): Omit<Total, 'is_dry_run'> => ({
  payment_motes: sum(all.map((each) => each.payment_motes)),
  charged_motes: sum(all.map((each) => each.charged_motes)),
})

const sum = (motes: readonly (string | null)[]): string =>
  motes.reduce((total, each) => total + BigInt(each ?? 0), 0n).toString()

import { formatAccountHash } from '@wattfeed/casper/types'
import { formatTable } from '../../runtime/formatTable.ts'
import { formatCspr } from '../amounts.ts'
import { type Action, type ArgumentReport, COMMITTEE, quote } from './describeTransaction.ts'
import type { CheckedApproval, Inspection, Weight } from './inspectTransaction.ts'

export function reportTransaction({ path, transaction, action, ...found }: Inspection) {
  const { hash, chainName, initiator, timestampMs, paymentMotes, gasPriceTolerance } = transaction
  return {
    file: path,
    transaction_hash: hash,
    chain_name: chainName,
    account: formatAccountHash(initiator.accountHash),
    public_key: initiator.publicKey,
    ...action,
    timestamp: iso(timestampMs),
    expires_at: iso(found.expiresAt),
    is_expired: found.isExpired,
    payment_motes: paymentMotes.toString(),
    gas_price_tolerance: gasPriceTolerance,
    approvals: found.approvals.map(({ signer, key, isValid }) => ({ signer, key, is_valid: isValid })),
    weight: found.weight && reportWeight(found.weight),
  }
}

const iso = (epochMs: number): string => new Date(epochMs).toISOString()

const reportWeight = ({ weight, needed, others, foreign }: Weight) => ({
  signed: weight,
  needed,
  missing: Math.max(0, needed - weight),
  others,
  foreign,
})

/** Formats an inspected transaction for people, control characters escaped. */
export function formatTransaction(inspection: Inspection): string {
  const { path, transaction, action, expiresAt, isExpired, weight } = inspection
  const { hash, chainName, initiator, timestampMs, paymentMotes, gasPriceTolerance } = transaction
  const account = formatAccountHash(initiator.accountHash)
  const price =
    gasPriceTolerance === 1 ? '' : `, times the gas price, which may be up to ${gasPriceTolerance}`
  return formatTable([
    ['file', path],
    ['transaction', hash],
    ['does', action.does],
    ...formatArguments(action),
    ['account', initiator.publicKey === null ? account : `${account} (${initiator.publicKey})`],
    ['chain', chainName],
    ['made at', iso(timestampMs)],
    ['ends at', `${iso(expiresAt)}${isExpired ? ', expired' : ''}`],
    ['pays', `${formatCspr(paymentMotes)} at most${price}`],
    ...formatApprovals(inspection.approvals),
    ...formatWeight(weight),
  ])
}

/** Formats the arguments for people: a value each, or its bytes if it has none; a line for each key of an account. */
export const formatArguments = ({ code, args }: Action): string[][] =>
  args.flatMap((arg) => (code === COMMITTEE && formatKeys(arg)) || [formatArgument(arg)])

/** Formats a list of account hashes with weights; null for another argument. */
function formatKeys({ name, type, value }: ArgumentReport): string[][] | null {
  if (JSON.stringify(type) !== WEIGHTS || !Array.isArray(value) || value.length === 0) return null
  return value.map(([key, weight], index) => [
    index === 0 ? formatName(name) : '',
    `account-hash-${key}, weight ${weight}`,
  ])
}

const WEIGHTS = JSON.stringify({ List: { Tuple2: [{ ByteArray: 32 }, 'U8'] } })

/** Indents an argument's name. One with spaces is quoted, because it could look like another row. */
const formatName = (name: string): string => `  ${/^\w+$/.test(name) ? name : quote(name)}`

const formatArgument = ({ name, type, bytes, value }: ArgumentReport): string[] => [
  formatName(name),
  `${value === null && type !== 'Unit' ? `bytes ${bytes}` : JSON.stringify(value)} (${typeof type === 'string' ? type : JSON.stringify(type)})`,
]

function formatApprovals(approvals: readonly CheckedApproval[]): string[][] {
  if (approvals.length === 0) return [['signed by', 'nobody']]
  return approvals.map(({ signer, isValid }) => [
    'signed by',
    `${signer}${isValid ? ', verified' : ': THE SIGNATURE IS INVALID'}`,
  ])
}

function formatWeight(found: Weight | null): string[][] {
  if (found === null) return [['weight', 'unknown: without a node, the keys of the account are not checked']]
  const { weight, needed, others, foreign } = found
  const missing = needed - weight
  return [
    ['weight', `${weight} of ${needed} needed${missing > 0 ? `; ${missing} missing` : ', enough'}`],
    ...foreign.map((key) => [
      'foreign key',
      `${key}: its signature weighs nothing, and "send" refuses the file`,
    ]),
    ...(missing > 0 ? others.map(({ key, weight }) => ['may sign', `${key}, weight ${weight}`]) : []),
  ]
}

import { memberAt } from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'

/** A transaction in a block, in the JSON of a node. */
export interface ProcessedJson {
  readonly height: number
  readonly hash: string
  /** `{ "Version1": … }` or `{ "Deploy": … }`. */
  readonly transaction: unknown
  /** The `execution_result`. */
  readonly executionResult: unknown
}

/** Formats a transaction as one line: block, the transaction's hash, sender, what was called, gas, cost, and the error. */
export function formatTransaction({ height, hash, transaction, executionResult }: ProcessedJson): string {
  const result = memberAt(executionResult, 'Version2')
  const motes = (name: string): bigint => BigInt(String(memberAt(result, name) ?? 0))
  const error = memberAt(result, 'error_message')
  return [
    `block ${height}`,
    `tx ${hash}`,
    `from ${shorten(initiatorOf(result))}`,
    formatCall(transaction),
    `gas ${formatCspr(motes('consumed'))} of ${formatCspr(motes('limit'))}`,
    `cost ${formatCspr(motes('cost') - motes('refund'))} CSPR`,
    typeof error === 'string' ? `FAILED: ${error}` : 'ok',
  ].join('  ')
}

const initiatorOf = (result: unknown): string => String(onlyEntry(memberAt(result, 'initiator')).content)

/** Returns what a transaction calls: `count of hash-1234…`, `wasm of 43 kB`, `transfer of 2.5 CSPR to 01ab…`. */
export function formatCall(transaction: unknown): string {
  const deploy = memberAt(transaction, 'Deploy')
  return deploy === undefined ? formatV1(transaction) : formatSession(memberAt(deploy, 'session'))
}

function formatV1(transaction: unknown): string {
  const fields = memberAt(transaction, 'Version1', 'payload', 'fields')
  const { name: kind, content } = onlyEntry(memberAt(fields, 'target'))
  if (kind === 'Native') return formatTransfer(memberAt(fields, 'args', 'Named'))
  if (kind === 'Session') return formatWasm(memberAt(content, 'module_bytes'))
  const { content: id } = onlyEntry(memberAt(content, 'id'))
  const entryPoint = onlyEntry(memberAt(fields, 'entry_point')).content
  return `${entryPoint} of ${formatContract(isRecord(id) ? (id.addr ?? id.name) : id)}`
}

/** @param session that of a deploy */
function formatSession(session: unknown): string {
  const { name: kind, content } = onlyEntry(session)
  if (kind === 'Transfer') return formatTransfer(memberAt(content, 'args'))
  if (kind === 'ModuleBytes') return formatWasm(memberAt(content, 'module_bytes'))
  const { hash, name, entry_point } = isRecord(content) ? content : {}
  return `${entry_point} of ${formatContract(hash ?? name)}`
}

/** A named key is shown as it is. */
const formatContract = (address: unknown): string =>
  /^[0-9a-f]{64}$/.test(String(address)) ? `hash-${shorten(String(address))}` : String(address)

const formatWasm = (hex: unknown): string =>
  `wasm of ${Math.max(1, Math.round(String(hex).length / 2000))} kB`

function formatTransfer(args: unknown): string {
  const named = new Map(Array.isArray(args) ? args : [])
  const amount = memberAt(named.get('amount'), 'parsed')
  const target = memberAt(named.get('target'), 'parsed')
  return `transfer of ${formatCspr(BigInt(String(amount ?? 0)))} CSPR to ${shorten(String(target))}`
}

/** The name and the content of an enum in JSON: `"Name"` or `{ "Name": content }`. */
function onlyEntry(value: unknown): { name: string; content: unknown } {
  if (!isRecord(value)) return { name: String(value), content: value }
  const [name = '', content] = Object.entries(value)[0] ?? []
  return { name, content }
}

/** Shortens hex to its first ten digits. */
const shorten = (text: string): string => text.replace(/([0-9a-f]{10})[0-9a-f]{20,}/, '$1…')

/** Formats motes as CSPR, exactly: `2.5`. */
const formatCspr = (motes: bigint): string =>
  `${motes / 1_000_000_000n}.${String(motes % 1_000_000_000n).padStart(9, '0')}`.replace(/\.?0+$/, '')

import { encodeHex } from '@wattfeed/base'
import { formatClValue, formatDuration, isRecord, type NamedArgument } from '@wattfeed/casper/types'

/** Returns the node's JSON of what a codec has parsed. @param name the member or the kind that has the value */
export function printTransaction(value: unknown, name = ''): unknown {
  if (name === 'timestamp') return new Date(Number(value)).toISOString()
  if (name === 'ttl') return formatDuration(Number(value))
  if (name === 'AccountHash') return `account-hash-${value}`
  if (value instanceof Uint8Array) return encodeHex(value)
  if (Array.isArray(value)) return value.map((each) => printTransaction(each))
  if (!isRecord(value)) return value
  if (isArgument(value)) return [value.name, formatClValue(value)]
  if (isVariant(value))
    return value.value === null ? value.kind : { [value.kind]: printTransaction(value.value, value.kind) }
  const members = Object.entries(value).map(([member, of]) => [member, printTransaction(of, member)] as const)
  // A node has these in sorted maps. All other members are in the order of their bytes.
  if (name === 'fields' || name === 'Session') members.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members)
}

const isArgument = (value: object): value is NamedArgument => 'clType' in value

const isVariant = (value: object): value is { kind: string; value: unknown } =>
  'kind' in value && 'value' in value

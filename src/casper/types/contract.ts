import { DecodeError } from '../../bytes/cursor.ts'
import { isRecord } from './isRecord.ts'

/** What a stored `Contract` says of itself. */
export interface Contract {
  /** Keys by name. */
  namedKeys: ReadonlyMap<string, string>
  /** Names of the entry points. */
  entryPoints: ReadonlySet<string>
}

/** @throws {DecodeError} where the stored value is not a contract. */
export function decodeContract(storedValue: unknown): Contract {
  const contract = isRecord(storedValue) ? storedValue.Contract : undefined
  if (!isRecord(contract)) throw notAContract()
  return {
    namedKeys: new Map(namedEntries(contract.named_keys).map(({ name, key }) => [name, text(key)])),
    entryPoints: new Set(namedEntries(contract.entry_points).map(({ name }) => name)),
  }
}

type Named = Record<string, unknown> & { name: string }

function namedEntries(list: unknown): Named[] {
  if (Array.isArray(list) && list.every(isNamed)) return list
  throw notAContract()
}

function isNamed(entry: unknown): entry is Named {
  return isRecord(entry) && typeof entry.name === 'string'
}

function text(key: unknown): string {
  if (typeof key === 'string') return key
  throw notAContract()
}

function notAContract(): DecodeError {
  return new DecodeError('Contract', 'the stored value is not a contract')
}

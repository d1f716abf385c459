import { type Cursor, createCursor, DecodeError } from '@wattfeed/base'
import { readers, readStruct } from '@wattfeed/casper'
import type { ClType, NamedArgument } from '@wattfeed/casper/types'
import { newAttestationFields } from './attestation.ts'
import type { NewAttestation } from './calls.ts'

/**
 * Decodes the arguments of `attest` and `attest_many`.
 *
 * @returns null for any other entry point.
 * @throws {DecodeError} when an argument is missing, unknown, of another type, or malformed.
 */
export function decodeAttestCall(
  entryPoint: string,
  args: readonly NamedArgument[],
): NewAttestation[] | null {
  if (entryPoint === 'attest') return [decodeAttest(args)]
  if (entryPoint === 'attest_many') return decodeAttestMany(args)
  return null
}

function decodeAttest(args: readonly NamedArgument[]): NewAttestation {
  assertNames(args, ['asset_id', 'period', 'amount', 'source_hash'])
  return {
    feed_id: decodeArgument(args, 'asset_id', 'String', readers.text),
    period: decodeArgument(args, 'period', 'U64', readers.u64),
    amount: decodeArgument(args, 'amount', 'U512', readers.u512),
    source_hash: decodeArgument(args, 'source_hash', 'String', readers.hash),
  }
}

function decodeAttestMany(args: readonly NamedArgument[]): NewAttestation[] {
  assertNames(args, ['attestations'])
  return decodeArgument(args, 'attestations', { List: 'Any' }, (cursor) => cursor.list(readNewAttestation))
}

/** Decodes the bytes of the arguments of `attest` or `attest_many`, in order and without their types. @throws {DecodeError} */
export function decodeAttestBytes(entryPoint: 'attest' | 'attest_many', bytes: Uint8Array): NewAttestation[] {
  const cursor = createCursor(bytes, entryPoint)
  const attestations =
    entryPoint === 'attest' ? [readNewAttestation(cursor)] : cursor.list(readNewAttestation)
  cursor.end()
  return attestations
}

const readNewAttestation = (cursor: Cursor): NewAttestation => readStruct(cursor, newAttestationFields)

/** A contract ignores further arguments, and uses one of two with the same name. */
function assertNames(args: readonly NamedArgument[], names: readonly string[]): void {
  const unknown = args.find(({ name }) => !names.includes(name))
  if (unknown !== undefined) throw new DecodeError('args', `unknown argument ${JSON.stringify(unknown.name)}`)
  if (args.length !== names.length) throw new DecodeError('args', `expected exactly ${names.join(', ')}`)
}

function decodeArgument<T>(
  args: readonly NamedArgument[],
  name: string,
  clType: ClType,
  read: (cursor: Cursor) => T,
): T {
  const found = args.find((each) => each.name === name)
  if (found === undefined) throw new DecodeError('args', `missing argument "${name}"`)
  const type = JSON.stringify(clType)
  if (JSON.stringify(found.clType) !== type) throw new DecodeError(name, `expected type ${type}`)
  const cursor = createCursor(found.bytes, name)
  const value = read(cursor)
  cursor.end()
  return value
}

import { encodeHex } from '@wattfeed/base'
import {
  accountHashOfHex,
  type ClValue,
  decodeU512,
  keyTags,
  type NamedArgument,
} from '@wattfeed/casper/types'
import { InvalidParamsError } from '../params.ts'
import { parsePublicKey } from './nodeReader.ts'
import type { Refusal } from './refusal.ts'

/** The least that a transfer pays, which is also its cost in a deploy, and in every transaction from protocol 2.2 on. */
export const TRANSFER_MOTES = 100_000_000n

/** The least that a native transfer moves, in every protocol. */
export const MIN_TRANSFER_MOTES = 2_500_000_000n

export interface Transfer {
  /** The receiving account or purse. A purse is a URef of 33 bytes. */
  to: { accountHash: Uint8Array } | { purse: Uint8Array }
  motes: bigint
  id: number | null
}

/** Returns the reason for which a node rejects a transfer with these arguments, or null. */
export function checkTransfer(args: readonly NamedArgument[], minMotes: bigint): Refusal | null {
  const { target, amount, source } = byName(args)
  if (target === undefined || amount === undefined) return 'missingArgument'
  const transfer = parseTransfer(args)
  if (transfer === null) return 'argumentType'
  if (source !== undefined) return 'kind'
  return transfer.motes < minMotes ? 'transferAmount' : null
}

/** Parses the arguments of a transfer; null if their types are wrong. */
export function parseTransfer(args: readonly NamedArgument[]): Transfer | null {
  const { target, amount, id } = byName(args)
  const to = target === undefined ? null : parseReceiver(target)
  const motes = amount === undefined ? null : decodeU512(amount)
  return to === null || motes === null ? null : { to, motes, id: id === undefined ? null : parseId(id) }
}

const byName = (args: readonly NamedArgument[]): Partial<Record<string, ClValue>> =>
  Object.fromEntries(args.map((each) => [each.name, each]))

function parseReceiver({ clType, bytes }: ClValue): Transfer['to'] | null {
  if (clType === 'PublicKey') return parseKeyOwner(bytes)
  if (clType === 'URef' && bytes.length === 33) return { purse: bytes }
  if (clType === 'Key' && bytes[0] === keyTags.uref) return { purse: bytes.subarray(1) }
  if (clType === 'Key' && bytes[0] === keyTags.account) return { accountHash: bytes.subarray(1) }
  return bytes.length === 32 && typeof clType === 'object' && 'ByteArray' in clType
    ? { accountHash: bytes }
    : null
}

function parseKeyOwner(bytes: Uint8Array): Transfer['to'] | null {
  try {
    return { accountHash: accountHashOfHex(parsePublicKey(encodeHex(bytes))) }
  } catch (error) {
    if (error instanceof InvalidParamsError) return null
    throw error
  }
}

function parseId({ bytes }: ClValue): number | null {
  if (bytes[0] !== 1 || bytes.length !== 9) return null
  return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(1, true))
}

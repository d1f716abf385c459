import { concatBytes } from '@noble/hashes/utils.js'
import { encodeString, encodeU32 } from '../../bytes/byteWriter.ts'
import { createCursor, DecodeError } from '../../bytes/cursor.ts'
import { encodeHex } from '../../bytes/hex.ts'
import { encodeBytes } from '../../casper/types/calltable.ts'
import { type ClType, encodeClType, parseClType } from '../../casper/types/clType.ts'
import { type ClValue, formatClValue, type NamedArgument } from '../../casper/types/clValue.ts'
import { bytesOf, InvalidParamsError, listOf, requiredField, textOf, variantOf } from '../params.ts'

const NAMED = Uint8Array.of(0)
const BYTESREPR = Uint8Array.of(1)

export interface ParsedArguments<Args> {
  args: Args
  bytes: Uint8Array
  json: unknown
}

/** Parses the arguments of a TransactionV1; null if they are not named. */
export function parseArguments(value: unknown): ParsedArguments<NamedArgument[] | null> {
  const { name, content } = variantOf(value, ['Named', 'Bytesrepr'])
  if (name === 'Bytesrepr') {
    const bytes = bytesOf(content)
    const json = { Bytesrepr: encodeHex(bytes) }
    return { args: null, bytes: concatBytes(BYTESREPR, encodeBytes(bytes)), json }
  }
  const { args, bytes, json } = parseNamedArguments(content)
  return { args, bytes: concatBytes(NAMED, bytes), json: { Named: json } }
}

/** Parses named arguments and preserves their bytes. */
export function parseNamedArguments(value: unknown): ParsedArguments<NamedArgument[]> {
  const args = listOf(value).map(parseArgument)
  return {
    args,
    bytes: concatBytes(encodeU32(args.length), ...args.flatMap(encodeArgument)),
    json: args.map((each) => [each.name, formatClValue(each)]),
  }
}

function parseArgument(value: unknown): NamedArgument {
  const [name, clValue] = listOf(value)
  return {
    name: textOf(name),
    clType: parseType(requiredField(clValue, 'cl_type')),
    bytes: bytesOf(requiredField(clValue, 'bytes')),
  }
}

function parseType(value: unknown): ClType {
  try {
    return parseClType(value)
  } catch (error) {
    if (error instanceof DecodeError) throw new InvalidParamsError({ rule: `cl_type: ${error.rule}` })
    throw error
  }
}

const encodeArgument = ({ name, clType, bytes }: NamedArgument): Uint8Array[] => [
  encodeString(name),
  encodeBytes(bytes),
  encodeClType(clType),
]

export function decodeU512({ clType, bytes }: ClValue): bigint | null {
  if (clType !== 'U512') return null
  try {
    const cursor = createCursor(bytes, 'U512')
    const value = cursor.bigUint(64)
    cursor.end()
    return value
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

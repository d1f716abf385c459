import { type ByteWriter, createByteWriter, decodeHex } from '@wattfeed/base'
import { type DatasetSeries, type Leaf, nodesBeside, nodesOfPath, type ProvenLeaf } from '@wattfeed/dataset'
import { ContractProofError } from './contractProofError.ts'

/** What the bytes of a proof have. */
export interface ContractEvidence {
  /** Index of the first leaf. */
  readonly index: number
  /** The leaf of the series. */
  readonly leaf: Leaf
  /** The next one of the tree; null if it is not needed, or there is none. */
  readonly next: Leaf | null
  /** The hashes beside them in hex, from left to right. */
  readonly hashes: readonly string[]
  /** The unit that the contract pins; null for none. */
  readonly unit: string | null
}

const NULL = 255
const PERIOD = /^[0-9A-Z:+-]{1,32}$/
// Printable ASCII that JSON does not escape.
const VALUE = /^[ !#-[\]-~]{0,64}$/

/**
 * Encodes a proof for the crate `wattfeed`, without what the contract pins. `contracts/wattfeed/src/series/proof.rs` describes the format.
 *
 * @throws {ContractProofError} if a text has characters that no contract takes, or is too long.
 */
export function encodeContractProof({ index, leaf, next, hashes, unit }: ContractEvidence): Uint8Array {
  if (!PERIOD.test(leaf.period)) throw refusal(leaf.period, 'a period has characters of 0-9 A-Z - : +')
  if (leaf.value !== null && !VALUE.test(leaf.value))
    throw refusal(leaf.value, 'a value has up to 64 characters of ASCII, without quotes and backslashes')
  const writer = createByteWriter(1_024)
  writer.u8(next === null ? 1 : 2).u64(index)
  writeText(writer, leaf.period)
  writeText(writer, leaf.value)
  writeUnit(writer, leaf.unit, unit)
  if (next !== null) writeNext(writer, leaf, next, unit)
  for (const hash of hashes) writer.bytes(decodeHex(hash, 'path'))
  return writer.finish()
}

/** Writes the next leaf: how many elements its key shares, and what differs. */
function writeNext(writer: ByteWriter, leaf: Leaf, next: Leaf, unit: string | null): void {
  const key = elementsOf(next)
  const own = elementsOf(leaf)
  const differing = key.findIndex((element, at) => element !== own[at])
  const shared = differing === -1 ? Math.min(key.length, own.length) : differing
  writer.u8(shared).u8(key.length - shared)
  for (const element of key.slice(shared)) writeText(writer, element)
  writeText(writer, next.value)
  writeUnit(writer, next.unit, unit)
}

/** The elements of a key; null for a facet without a value. */
const elementsOf = ({ route, frequency, column, facets, period }: DatasetSeries & { period: string }) => [
  route,
  frequency,
  column,
  ...Object.keys(facets)
    .sort()
    .flatMap((id) => [id, facets[id] ?? null]),
  period,
]

function writeUnit(writer: ByteWriter, unit: string | null, pinned: string | null): void {
  if (unit === pinned) writer.u8(0)
  else writeText(writer.u8(1), unit)
}

function writeText(writer: ByteWriter, text: string | null): void {
  if (text === null) {
    writer.u8(NULL)
    return
  }
  const bytes = new TextEncoder().encode(text)
  if (!text.isWellFormed() || bytes.length >= NULL)
    throw refusal(text, `a text has fewer than ${NULL} bytes, and no lone surrogate`)
  writer.u8(bytes.length).bytes(bytes)
}

const refusal = (text: string, rule: string): ContractProofError =>
  new ContractProofError({ rule: `${rule}, but got ${JSON.stringify(text.slice(0, 80))}` })

/** Returns the hashes beside leaves that follow each other, from left to right, out of the path of each. */
export function hashesBeside(leaves: readonly Pick<ProvenLeaf, 'index' | 'path'>[], size: number): string[] {
  const known = new Map(
    leaves.flatMap(({ index, path }) =>
      nodesOfPath(index, size).map(({ start, end }, at) => [`${start}-${end}`, path[at]]),
    ),
  )
  const first = leaves[0]?.index ?? 0
  const beside = nodesBeside({ first, past: first + leaves.length }, size)
  return beside.flatMap(({ start, end }) => known.get(`${start}-${end}`) ?? [])
}

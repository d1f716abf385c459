import { decodeHex } from '@wattfeed/base'
import {
  type CheckedLeaf,
  checkStatement,
  decodeLeaf,
  encodeKey,
  encodeLeaf,
  hashLeaf,
  type Leaf,
  rootOfRun,
} from '@wattfeed/dataset'
import { encodePeriod } from '@wattfeed/eia'
import type { ContractPin, ContractQuestion, ContractRoot } from './contractCases.ts'

/**
 * What the verifier of TypeScript says about the bytes of a proof: the leaf that answers the question; null if it refuses them. It builds
 * the leaves from the bytes, and checks them by the rules of a proof document.
 */
export function readContractProof(
  bytes: Uint8Array,
  pin: ContractPin,
  root: ContractRoot,
  question: ContractQuestion,
): Leaf | null {
  try {
    const { index, leaves, hashes } = decodeProof(bytes, pin)
    const encoded = leaves.map(encodeLeaf)
    const checked = encoded.map((leaf, at): CheckedLeaf => {
      const decoded = decodeLeaf(leaf, 'a leaf')
      return { index: index + at, leaf: decoded, key: encodeKey(decoded) }
    })
    const found = rootOfRun(index, encoded.map(hashLeaf), root.size, hashes)
    if (found === null || !Buffer.from(found).equals(decodeHex(root.hash, 'root'))) return null
    const [first] = checked
    if (first === undefined) return null
    const isNewest = question.statement === 'newest_value'
    const period = isNewest ? null : (question.period ?? first.leaf.period)
    const statement = isNewest ? 'newest' : 'value'
    const { route, frequency, column, facets } = pin
    const query = { route, frequency, column, facets, period }
    const leaf = checkStatement({ statement, leaves: checked }, query, root)
    if (question.statement === 'newest_period' && encodePeriod(frequency, first.leaf.period) !== root.period)
      return null
    return leaf
  } catch {
    return null
  }
}

function decodeProof(bytes: Uint8Array, pin: ContractPin) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new RangeError('too short')
    at += count
    return bytes.slice(at - count, at)
  }
  const byte = (): number => take(1)[0] ?? 0
  const text = (): string | null => {
    const length = byte()
    return length === 255
      ? null
      : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(take(length))
  }
  const unit = (): string | null => {
    const kind = byte()
    if (kind > 1) throw new RangeError('no unit')
    return kind === 0 ? pin.unit : text()
  }
  const kind = byte()
  if (kind !== 1 && kind !== 2) throw new RangeError('no kind')
  take(8)
  const index = Number(view.getBigUint64(1, true))
  const { route, frequency, column, facets } = pin
  const first: Leaf = { route, frequency, column, facets, period: text() ?? '', value: text(), unit: unit() }
  const leaves = [first]
  if (kind === 2) {
    const ids = Object.keys(facets).sort()
    const key = [route, frequency, column, ...ids.flatMap((id) => [id, facets[id] ?? null]), first.period]
    const shared = byte()
    if (shared > key.length) throw new RangeError('too many')
    const elements = [...key.slice(0, shared), ...Array.from({ length: byte() }, text)]
    if (elements.length < 4 || elements.length % 2 !== 0) throw new RangeError('no key')
    const pairs = elements.slice(3, -1)
    const others: [string, string | null][] = []
    for (let pair = 0; pair < pairs.length; pair += 2)
      others.push([pairs[pair] ?? '', pairs[pair + 1] ?? null])
    // Another order or an id that is there twice is no leaf.
    if (others.some(([id], place) => place > 0 && id <= (others[place - 1]?.[0] ?? '')))
      throw new RangeError('not sorted')
    leaves.push({
      route: elements[0] ?? '',
      frequency: elements[1] ?? '',
      column: elements[2] ?? '',
      facets: Object.fromEntries(others),
      period: elements.at(-1) ?? '',
      value: text(),
      unit: unit(),
    })
  }
  const rest = bytes.slice(at)
  if (rest.length % 32 !== 0) throw new RangeError('no hashes')
  const hashes = Array.from({ length: rest.length / 32 }, (_, each) => rest.slice(32 * each, 32 * each + 32))
  return { index, leaves, hashes }
}

import { isRecord } from '@wattfeed/casper/types'

/**
 * A compressed list of JSON values: the JSON of 20,000 blocks takes about 200 MB. Adjacent values are similar and are
 * compressed together. The newest values are read most, so they stay uncompressed.
 */
export interface JsonStore {
  add(value: unknown): number
  get(index: number): unknown
  fork(): JsonStore
}

const PACK = 16
/** Does not occur in JSON text. */
const SEPARATOR = '\n'

export function createJsonStore(packs: Uint8Array[] = [], newest: unknown[] = []): JsonStore {
  const packed = (): number => packs.length * PACK
  return {
    add(value) {
      const length = newest.push(copyJson(value))
      const index = packed() + length - 1
      if (length === 2 * PACK) packs.push(pack(newest.splice(0, PACK)))
      return index
    },
    get(index) {
      const found = packs[Math.floor(index / PACK)]
      if (found !== undefined) return JSON.parse(unpack(found)[index % PACK] ?? '')
      if (index - packed() >= newest.length) throw new RangeError(`no value has the index ${index}`)
      return copyJson(newest[index - packed()])
    },
    fork: () => createJsonStore([...packs], [...newest]),
  }
}

const pack = (values: readonly unknown[]): Uint8Array =>
  Bun.zstdCompressSync(values.map((value) => JSON.stringify(value)).join(SEPARATOR))

const unpack = (packed: Uint8Array): string[] => Bun.zstdDecompressSync(packed).toString().split(SEPARATOR)

/** Copies a value like a round trip through JSON text: -0 becomes 0, and undefined members are removed. */
function copyJson(value: unknown): unknown {
  if (typeof value === 'number') return value + 0
  if (Array.isArray(value)) return value.map(copyJson)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, copyJson(each)]])),
  )
}

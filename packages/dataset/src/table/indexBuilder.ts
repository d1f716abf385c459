import { compareBytes } from '../bytes.ts'
import type { LeafKey } from '../leaf.ts'
import { CodeList, type Codes, packCodes } from './codes.ts'
import { encodeTableIndex, MAX_TABLE_INDEX_BYTES, MAX_TEXTS_BYTES } from './tableIndex.ts'

/** Makes the index of tables from leaves that come in the order of their keys. Takes some four bytes of memory for each. */
export class IndexBuilder {
  readonly #facets: readonly string[]
  readonly #starts = new CodeList()
  readonly #columns = new TextColumn<string>()
  readonly #codes: readonly TextColumn<string | null>[]
  readonly #periods = new TextColumn<string>()
  #last: LeafKey | null = null

  /** @param facets - ids of every facet, sorted */
  constructor(facets: readonly string[]) {
    this.#facets = facets
    this.#codes = facets.map(() => new TextColumn())
  }

  add(leaf: LeafKey): void {
    if (!this.#isOfLastSeries(leaf)) {
      this.#starts.push(this.#periods.length)
      this.#columns.push(leaf.column)
      for (const [at, id] of this.#facets.entries()) this.#codes[at]?.push(leaf.facets[id] ?? null)
    }
    this.#last = leaf
    this.#periods.push(leaf.period)
  }

  #isOfLastSeries({ column, facets }: LeafKey): boolean {
    const last = this.#last
    return last?.column === column && this.#facets.every((id) => last.facets[id] === facets[id])
  }

  /** Returns the file; null if it would be larger than a table can read. */
  end(root: string): Uint8Array | null {
    const all = [this.#columns, this.#periods, ...this.#codes]
    if (all.reduce((sum, { textLength }) => sum + textLength, 0) > MAX_TEXTS_BYTES) return null
    const size = this.#periods.length
    const columns = this.#columns.pack()
    const periods = this.#periods.pack()
    const facets = this.#codes.map((codes) => codes.pack())
    const starts = new Uint32Array(this.#starts.length + 1)
    starts.set(this.#starts.view())
    starts[this.#starts.length] = size
    const bytes = encodeTableIndex({
      ...{ root, size, starts },
      columns: columns.texts,
      facets: this.#facets.map((id, at) => ({ id, codes: facets[at]?.texts ?? [] })),
      periods: periods.texts,
      columnOf: columns.codes,
      facetsOf: facets.map(({ codes }) => codes),
      periodOf: periods.codes,
    })
    return bytes.length > MAX_TABLE_INDEX_BYTES ? null : bytes
  }
}

/** Texts of which many are equal. */
class TextColumn<T extends string | null> {
  /** Characters of all different texts. */
  textLength = 0
  readonly #places = new Map<T, number>()
  readonly #codes = new CodeList()

  get length(): number {
    return this.#codes.length
  }

  push(text: T): void {
    let place = this.#places.get(text)
    if (place === undefined) {
      place = this.#places.size
      // Beyond, there will be no index.
      if (this.textLength <= MAX_TEXTS_BYTES) this.#places.set(text, place)
      this.textLength += text?.length ?? 0
    }
    this.#codes.push(place)
  }

  /** The different texts in the order of their bytes, null first; and the place of each text in them. */
  pack(): { texts: T[]; codes: Codes } {
    const encoder = new TextEncoder()
    const seen = [...this.#places].map(([text, place]) => ({
      text,
      place,
      bytes: encoder.encode(text ?? ''),
    }))
    seen.sort((one, other) => compareBytes(one.bytes, other.bytes))
    const places = new Uint32Array(seen.length)
    for (const [rank, { place }] of seen.entries()) places[place] = rank
    return { texts: seen.map(({ text }) => text), codes: packCodes(this.#codes.view(), places) }
  }
}

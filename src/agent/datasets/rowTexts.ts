import type { TextsByCode } from '@wattfeed/dataset/disk'
import type { StagedNames } from './stagedNames.ts'

/** What a row says beside its leaves. */
interface RowText {
  /** In the order of the facets. */
  readonly facets: readonly (string | null)[]
  /** By member of the row. */
  readonly texts: ReadonlyMap<string, string | null>
}

/** What some rows say beside their leaves, in memory. */
export class RowTexts implements StagedNames {
  readonly #facets: readonly string[]
  readonly #rows: RowText[] = []

  /** @param facets - ids, in the order in which rows have them */
  constructor(facets: readonly string[]) {
    this.#facets = facets
  }

  add(row: RowText): void {
    this.#rows.push(row)
  }

  members(): string[] {
    return [...new Set(this.#rows.flatMap(({ texts }) => [...texts.keys()]))]
  }

  textsOf(member: string, facet: string): TextsByCode {
    const at = this.#facets.indexOf(facet)
    const texts = new Map<string, string | null>()
    let state: TextsByCode['state'] = 'determined'
    for (const row of this.#rows) {
      if (!row.texts.has(member)) continue
      const [code, text] = [row.facets[at] ?? '', row.texts.get(member)?.toWellFormed() ?? null]
      const known = texts.get(code)
      if (known !== undefined && known !== text) state = 'different'
      texts.set(code, known ?? text)
    }
    return { state, texts }
  }
}

import { searchWords } from '@wattfeed/eia/catalog'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { codesUrl } from '../../../cite/addresses.ts'
import { fetchAnswer } from '../../data/answers.ts'

const shape = shapeOf('codesBody')

/** A code of a facet, or a column, that words mean. */
export interface FoundCode {
  readonly id: string | null
  /** What EIA calls it; null if it is not known. */
  readonly name: string | null
}

/** What words mean of a dataset: columns, and codes of facets. */
export interface FoundCodes {
  readonly columns: readonly string[]
  readonly facets: Readonly<Record<string, readonly FoundCode[]>>
  /** The words that neither a column nor a code has. */
  readonly unknown: readonly string[]
}

/** A dataset whose codes are searched. */
export interface SearchedDataset {
  readonly route: string
  readonly frequency: string
  readonly columns: readonly string[]
  readonly facets: readonly string[]
}

/** More codes of one facet do not fit into an address. */
const MAX_CODES = 100

/**
 * Finds what words mean: each word the column of that id, or the codes of one facet that have it in their id or name. Of several
 * facets, it is the one with the code itself, or with the fewest such codes. Words of one facet narrow its codes, unless none has all.
 *
 * @throws {AnswerError}
 */
export async function findCodes(
  { route, frequency, columns, facets }: SearchedDataset,
  words: string,
  signal: AbortSignal,
): Promise<FoundCodes> {
  const found: { columns: string[]; facets: Record<string, readonly FoundCode[]>; unknown: string[] } = {
    columns: [],
    facets: {},
    unknown: [],
  }
  for (const word of searchWords(words)) {
    const column = columns.find((id) => id.toLowerCase() === word)
    if (column !== undefined) {
      found.columns.push(column)
      continue
    }
    const lists = await Promise.all(
      facets.map(async (facet) => {
        const path = `${codesUrl('', { route, frequency, facet })}&q=${encodeURIComponent(word)}`
        const { body } = await fetchAnswer(path, shape, { signal })
        return { facet, codes: body.codes, isExact: body.codes.some(({ id }) => id?.toLowerCase() === word) }
      }),
    )
    const [best] = lists
      .filter(({ codes }) => codes.length > 0)
      .sort((a, b) => Number(b.isExact) - Number(a.isExact) || a.codes.length - b.codes.length)
    if (best === undefined) found.unknown.push(word)
    else found.facets[best.facet] = narrowed(found.facets[best.facet], codesOf(best, word))
  }
  return found
}

/** The code itself, or all that match. */
function codesOf(
  { codes, isExact }: { codes: readonly FoundCode[]; isExact: boolean },
  word: string,
): readonly FoundCode[] {
  return isExact ? codes.filter(({ id }) => id?.toLowerCase() === word) : codes
}

function narrowed(last: readonly FoundCode[] | undefined, codes: readonly FoundCode[]): readonly FoundCode[] {
  if (last === undefined) return codes.slice(0, MAX_CODES)
  const both = last.filter(({ id }) => codes.some((each) => each.id === id))
  return (both.length > 0 ? both : [...last, ...codes]).slice(0, MAX_CODES)
}

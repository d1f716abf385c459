import type { FacetCode } from '@wattfeed/dataset'
import { isByNewestRoot } from 'wattfeed/internal'
import type { CodesBody } from '../../api/schemas.ts'
import { createVariantMemo } from '../http/memo.ts'
import type { FacetQuery, FoundCodes } from './seriesReader.ts'

/** A whole list, which may be long, is formatted once. */
const wholeBodyOf = createVariantMemo(
  (codes: readonly FacetCode[], about: Omit<CodesBody, 'total' | 'codes'>): CodesBody => bodyOf(codes, about),
)

const bodyOf = (codes: readonly FacetCode[], about: Omit<CodesBody, 'total' | 'codes'>): CodesBody => ({
  ...about,
  total: codes.length,
  codes: codes.map((code) => ({ ...code })),
})

/** Returns the body of `GET /v1/datasets/codes`, with the codes that contain a text or have it in their name. */
export function codesBodyOf(
  { route, frequency, facet }: FacetQuery,
  found: FoundCodes,
  q: string,
): CodesBody {
  const { reading, codes } = found
  const about = {
    ...{ route, frequency, facet },
    feed_id: reading.feed_id,
    root: reading.source_hash,
    is_newest_root: isByNewestRoot(found),
  }
  return q === '' ? wholeBodyOf(codes, about) : bodyOf(filterCodes(codes, q), about)
}

/** Returns the codes that contain a text, or have it in their name; all without a text. Case does not matter. */
export function filterCodes(codes: readonly FacetCode[], q: string): readonly FacetCode[] {
  if (q === '') return codes
  const part = q.toLowerCase()
  return codes.filter(({ id, name }) => [id, name].some((text) => text?.toLowerCase().includes(part)))
}

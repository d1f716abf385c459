import type { SeriesQuery } from '@wattfeed/dataset'
import { FACET_PARAMETER } from 'wattfeed/internal'

/** Percent-encodes a text, also `!'()*~`, which encodeURIComponent leaves and shells or Markdown interpret. */
export const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** @param index of a past value; null for the newest one */
export function proofUrl(origin: string, feedId: string, index: number | null): string {
  const path = index === null ? 'proof' : `history/${index}/proof`
  return `${origin}/v1/feeds/${encodePart(feedId)}/${path}`
}

export const feedUrl = (origin: string, feedId: string): string =>
  `${origin}/explorer/feeds/${encodePart(feedId)}`

export const embedUrl = (origin: string, feedId: string): string =>
  `${origin}/embed/feeds/${encodePart(feedId)}`

const seriesQueryOf = ({ route, frequency, column, facets, period }: SeriesQuery): string => {
  const pinned = Object.entries(facets).map(([id, value]) => [`${FACET_PARAMETER}${id}`, value ?? ''])
  const dated = period === null ? [] : [['period', period]]
  const parts = [['route', route], ['frequency', frequency], ['column', column], ...pinned, ...dated]
  return parts.map((pair) => pair.map(encodePart).join('=')).join('&')
}

/** The address of the codes of a facet of a dataset. */
export const codesUrl = (
  origin: string,
  facet: { route: string; frequency: string; facet: string },
): string => `${origin}/v1/datasets/codes?${new URLSearchParams(facet)}`

/** The address of a series of a dataset. */
export const seriesUrl = (origin: string, query: SeriesQuery): string =>
  `${origin}/v1/series?${seriesQueryOf(query)}`

/** The address of the proof of what a dataset says about a series. */
export const seriesProofUrl = (origin: string, query: SeriesQuery): string =>
  `${origin}/v1/series/proof?${seriesQueryOf(query)}`

import { lazy } from '@wattfeed/base'
import { formatUtc } from '@wattfeed/eia'
import { formatXmlText } from '../../runtime/formatXmlText.ts'
import { formatExact } from '../../web/cite/formatExact.ts'
import { feedHref } from '../../web/site/feedPath.ts'
import { feedName, periodInWords, showId, textsOf } from '../feedTexts.ts'
import { noticeOf, type PublicSite } from '../publicSite.ts'
import type { AttestedValue } from './attestedValues.ts'

/** @see https://www.rfc-editor.org/rfc/rfc4287#section-8 */
export const ATOM_TYPE = 'application/atom+xml; charset=utf-8'

export interface AtomFacts {
  /** The newest first. */
  readonly values: readonly AttestedValue[]
  /** The selected feeds; undefined for all. */
  readonly ids: readonly string[] | undefined
  readonly site: PublicSite
  readonly origin: string
  readonly chainName: string
}

const load = lazy(() => import('feed'))

/** @see https://www.rfc-editor.org/rfc/rfc4287 */
export async function formatAtom({ values, ids, site, origin, chainName }: AtomFacts): Promise<string> {
  const { Feed } = await load()
  const search = ids === undefined ? '' : `?${ids.map((id) => `id=${encodeURIComponent(id)}`).join('&')}`
  const notice = noticeOf(site)
  const idOf = (path: string): string => `tag:${authorityOf(origin)},2026:${chainName}/${path}`
  const feed = new Feed({
    id: idOf(`feed.atom${search}`),
    title: notice === null ? 'Attested energy data' : 'Invented energy data of a development chain',
    description: notice ?? 'US energy statistics as they are attested on the Casper blockchain',
    link: `${origin}/`,
    feed: `${origin}/feed.atom${search}`,
    updated: dateOf(values[0]?.attestedAt ?? 0),
    generator: 'wattfeed',
    author: { name: 'wattfeed' },
    copyright: '',
  })
  for (const value of values) {
    const date = dateOf(value.attestedAt)
    feed.addItem({
      id: idOf(`feeds/${encodeURIComponent(value.feed_id)}/values/${value.index}`),
      link: `${origin}${feedHref(value.feed_id) ?? '/'}`,
      title: formatXmlText(titleOf(value)),
      content: [...contentOf(value, chainName), ...(notice === null ? [] : [notice])]
        .map((text) => `<p>${formatXmlText(text)}</p>`)
        .join(''),
      date,
      published: date,
    })
  }
  return feed.atom1()
}

/** The host as the authority of tag URIs, which has no port. @see https://www.rfc-editor.org/rfc/rfc4151 */
const authorityOf = (origin: string): string =>
  new URL(origin).hostname.replaceAll(/[^a-z0-9.-]+/g, '-').replaceAll(/^-|-$/g, '')

const MAX_MS = Date.UTC(9999, 0)

// Block times have 64 bits, more than a `Date`.
const dateOf = (ms: number): Date => new Date(Math.min(ms, MAX_MS))

const titleOf = (value: AttestedValue): string =>
  `${feedName(value)}: ${formatExact(value.amount, value.decimals)} ${textsOf(value).unit} (${periodInWords(value, value.period)})`

const contentOf = (value: AttestedValue, chainName: string): readonly string[] => [
  titleOf(value),
  `Attested ${formatUtc(value.attestedAt)} on the chain ${chainName}, as value ${value.index} of ${showId(value.feed_id)}.`,
]

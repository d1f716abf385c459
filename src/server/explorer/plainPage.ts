import { coverageOf, formatUtc } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import { isDatasetFeed } from 'wattfeed/internal'
import { withoutRecipe } from 'wattfeed/provenance'
import { formatXmlText } from '../../runtime/formatXmlText.ts'
import { formatValue } from '../../web/chart/formatValue.ts'
import { heightOf } from '../../web/chart/theme.ts'
import { rangeProofUrl, rangeUrl } from '../../web/cite/addresses.ts'
import { alignDecimals, decimalsByUnit } from '../../web/cite/columnDecimals.ts'
import { formatExact } from '../../web/cite/formatExact.ts'
import { feedHref } from '../../web/site/feedPath.ts'
import { headerHtml } from '../../web/site/headerHtml.ts'
import { type PlacePath, places, VERIFIER_PATH } from '../../web/site/places.ts'
import { SERIES_PATH } from '../../web/site/seriesPath.ts'
import { clip, feedName, periodInWords, showFrequency, showId, textsOf } from '../feedTexts.ts'
import { createObjectMemo } from '../http/memo.ts'
import { type DescribedFeed, pathsOf } from '../pages/describeFeed.ts'
import { type ExplorerPage, placesHtml, SITE_NAME, suggestionHtml } from '../pages/explorerPages.ts'
import type { PageFacts } from '../pages/pageFacts.ts'

/**
 * Adds to the page's file what the server knows of the page, for browsers without JavaScript. Those that run its script
 * neither parse nor load it, so that nothing flashes or moves.
 */
export const withPlainPage = (page: string, facts: PageFacts): string =>
  page.replace('<noscript></noscript>', () => `<noscript>${formatPlainPage(facts)}</noscript>`)

function formatPlainPage(facts: PageFacts): string {
  const { heading, content } = contentOf(facts)
  return `${headerHtml(placeOf(facts))}<main><h1>${heading}</h1>${content}</main>`
}

const placeOf = (facts: PageFacts): PlacePath | null =>
  facts.kind === 'page' ? (places.find(([href]) => href === facts.page.path)?.[0] ?? null) : null

interface PlainContent {
  /** As HTML. */
  readonly heading: string
  /** As HTML. */
  readonly content: string
}

function contentOf(facts: PageFacts): PlainContent {
  switch (facts.kind) {
    case 'feed':
      return { heading: isolated(facts.feed.title), content: feedHtml(facts) }
    case 'series':
      return { heading: isolated(facts.title), content: seriesHtml(facts) }
    case 'noValue':
      return {
        heading: isolated(showId(facts.feedId)),
        content: `<p>This feed has no value yet. It is registered, but nothing has been attested.</p>${ALL_FEEDS}`,
      }
    case 'unknownFeed':
      return { heading: 'This feed does not exist', content: unknownFeedHtml(facts) }
    case 'unknownSeries':
      return {
        heading: 'This series does not exist',
        content: `<p>${isolated(facts.reason)}</p><p>Read ${insteadOf[SERIES_PATH]}.</p>`,
      }
    case 'unread':
      return {
        heading: isolated(showId(facts.feedId)),
        content: `<p>The feed could not be read from the chain in time. Reload the page, or read ${linkTo(apiOf(facts.feedId), 'its newest value')} as JSON.</p>`,
      }
    case 'unknownPage':
      return {
        heading: 'No such page',
        content: `<p>There is no page at this address.</p>${suggestionHtml(facts.path)}<p>These pages exist:</p>${placesHtml}`,
      }
    case 'page':
      return facts.page.path === '/'
        ? homeOf(facts)
        : { heading: facts.page.title, content: otherHtml(facts) }
  }
}

/** Formats a text of the chain, which anyone may write. */
const isolated = (text: string): string => `<bdi>${formatXmlText(text)}</bdi>`

/** @param words as HTML */
const linkTo = (href: string, words: string): string => `<a href="${formatXmlText(href)}">${words}</a>`

const apiOf = (feedId: string): string => `/v1/feeds/${encodeURIComponent(feedId)}`

const ALL_FEEDS = `<p>${linkTo('/explorer/feeds', 'All feeds')}</p>`

function unknownFeedHtml({ feedId, nearest }: Extract<PageFacts, { kind: 'unknownFeed' }>): string {
  const links = nearest.map((id) => `<li>${linkTo(feedHref(id) ?? '/', isolated(showId(id)))}</li>`)
  const meant = links.length === 0 ? '' : `<p>Did you mean:</p><ul>${links.join('')}</ul>`
  return `<p>${isolated(showId(feedId))} is not registered on this chain.</p>${meant}${ALL_FEEDS}`
}

const MAX_DESCRIPTION = 1_000

function feedHtml({ reading, feed }: Extract<PageFacts, { kind: 'feed' }>): string {
  const { source } = textsOf(reading)
  const description = clip(withoutRecipe(reading.description).trim(), MAX_DESCRIPTION)
  return [
    `<p class="headline-value"><span class="value"><span class="number">${valueText(reading)}</span> <span class="unit">${unitHtml(reading)}</span></span></p>`,
    `<p>${periodHtml(reading)}, attested ${formatUtc(reading.updated_at)}</p>`,
    pictureHtml(feed),
    description === '' ? '' : `<p class="lead description">${isolated(description)}</p>`,
    `<dl class="pairs"><div><dt>Feed</dt><dd><code>${isolated(showId(feed.id))}</code></dd></div><div><dt>Frequency</dt><dd>${showFrequency(reading.frequency)}</dd></div><div><dt>Source</dt><dd>${isolated(source)}, ${isolated(clip(reading.route, 100))}</dd></div></dl>`,
    `<h2>Read and verify it</h2>${linksHtml(feed)}`,
    '<p class="hint">With JavaScript, this page also has all values and revisions, and checks them in your browser.</p>',
  ].join('')
}

const valueText = ({ amount, decimals }: Reading): string => formatValue(formatExact(amount, decimals))

const unitHtml = (reading: Reading): string =>
  isDatasetFeed(reading) ? 'values in the dataset' : isolated(textsOf(reading).unit)

function periodHtml(reading: Reading): string {
  const words = formatXmlText(periodInWords(reading, reading.period))
  const start = coverageOf(reading, reading.period)?.start
  return start === undefined ? words : `<time datetime="${start}">${words}</time>`
}

const PICTURE_WIDTHS = { wide: 720, narrow: 360 }

/** The narrow picture has larger text in proportion. Both follow the reader's color scheme. */
function pictureHtml({ id, title, unit }: DescribedFeed): string {
  const { wide, narrow } = PICTURE_WIDTHS
  const source = (width: number): string => formatXmlText(`${apiOf(id)}/chart.svg?width=${width}`)
  const sized = (width: number): string => `width="${width}" height="${heightOf(width)}"`
  return `<picture class="plain-chart"><source media="(max-width: 44rem)" srcset="${source(narrow)}" ${sized(narrow)}><img src="${source(wide)}" ${sized(wide)} alt="${formatXmlText(`Chart of ${title} in ${unit}`)}"></picture>`
}

function linksHtml({ id }: DescribedFeed): string {
  const api = apiOf(id)
  const { json, csv, parquet, picture } = pathsOf(id)
  return `<ul>${[
    `${linkTo(api, 'Newest value')} as JSON, and ${linkTo(`${api}/status`, 'whether it is up to date')}`,
    `History as ${linkTo(csv, 'CSV')}, ${linkTo(parquet, 'Parquet')} and ${linkTo(json, 'JSON')}; ${linkTo(picture, 'chart as PNG')}`,
    `${linkTo(`${api}/proof`, 'Proof')} of the newest value, and ${linkTo(VERIFIER_PATH, 'a page to save')} that checks it`,
    `${linkTo(`${api}/provenance`, 'Provenance')}: the source of the newest value`,
    `Docs: ${linkTo('/docs/read-a-feed', 'read a feed')}, ${linkTo('/docs/verify', 'verify a value')}, ${linkTo('/openapi', 'the whole API')}`,
  ]
    .map((item) => `<li>${item}</li>`)
    .join('')}</ul>`
}

const MAX_CELL = 80

function seriesHtml({ series, found }: Extract<PageFacts, { kind: 'series' }>): string {
  const api = { ...series, index: found?.index ?? null }
  const range = { ...series, period_from: null, period_to: null, order: 'desc', limit: 5_000 } as const
  const links = `<ul>${[
    `${linkTo(rangeUrl('', api), 'All values')} as JSON, ${linkTo(rangeUrl('', api, '.csv'), 'CSV')} and ${linkTo(rangeUrl('', api, '.parquet'), 'Parquet')}`,
    `${linkTo(rangeProofUrl('', { range, index: api.index }), 'Proof')} of these values, and ${linkTo(VERIFIER_PATH, 'a page to save')} that checks it`,
    `Docs: ${linkTo('/docs/datasets', 'series of datasets')}, ${linkTo('/docs/verify', 'verify a value')}`,
  ]
    .map((item) => `<li>${item}</li>`)
    .join('')}</ul>`
  const newest = found?.leaves.at(-1)
  if (found === null || newest === undefined)
    return `<p>The series could not be read. ${linkTo(rangeUrl('', series), 'Its answer as JSON')} says why.</p>${links}`
  const rows = found.leaves
    .toReversed()
    .map(
      ({ period, value, unit }) =>
        `<tr><th scope="row">${isolated(clip(period, MAX_CELL))}</th><td class="is-number">${value === null ? 'withheld' : isolated(clip(value, MAX_CELL))}</td><td>${unit === null ? '' : isolated(clip(unit, MAX_CELL))}</td></tr>`,
    )
  return [
    `<p class="headline-value"><span class="value"><span class="number">${newest.value === null ? 'withheld' : isolated(clip(newest.value, MAX_CELL))}</span> <span class="unit">${isolated(clip(newest.unit ?? '', MAX_CELL))}</span></span></p>`,
    `<p>${isolated(clip(newest.period, MAX_CELL))}, attested ${formatUtc(found.reading.updated_at)} by root number ${found.index + 1} of ${datasetLink(found.reading)}</p>`,
    `<table class="plain"><caption>The newest values</caption><thead><tr><th scope="col">Period</th><th scope="col" class="is-number">Value</th><th scope="col">Unit</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
    `<h2>Read and verify it</h2>${links}`,
    '<p class="hint">With JavaScript, this page also has a chart, and checks all values in your browser.</p>',
  ].join('')
}

function datasetLink(reading: Reading): string {
  const href = feedHref(reading.feed_id)
  return href === null ? isolated(feedName(reading)) : linkTo(href, isolated(feedName(reading)))
}

/** What to read instead of a page, as HTML. */
const insteadOf: Readonly<Record<string, string>> = {
  '/explorer/datasets': `the catalog ${linkTo('/v1/datasets', 'as JSON')}, or ${linkTo('/v1/datasets/attested', 'the attested datasets')}`,
  [SERIES_PATH]: `the ${linkTo('/v1/datasets/attested', 'attested datasets')}, whose series have addresses`,
  '/explorer/calendar': `the calendar ${linkTo('/v1/calendar', 'as JSON')} or ${linkTo('/calendar.ics', 'in a calendar program')}`,
  '/explorer/status': `the status of each feed ${linkTo('/v1/status', 'as JSON')}`,
  '/explorer/how': `in the docs ${linkTo('/docs/verify', 'how to verify a value')}`,
}

function otherHtml({ page }: { page: ExplorerPage }): string {
  const instead = insteadOf[page.path] ?? `the ${linkTo('/docs', 'docs')}`
  return `<p class="lead">${formatXmlText(page.description)}</p><p>This page needs JavaScript. Without it, read ${instead}.</p>${ALL_FEEDS}`
}

function homeOf({ page, readings }: Extract<PageFacts, { kind: 'page' }>): PlainContent {
  const lead = `<p class="lead">${formatXmlText(page.description)}</p>`
  const files = `<p>All newest values as ${linkTo('/v1/feeds', 'JSON')} and ${linkTo('/v1/feeds.csv', 'CSV')}; new ones as ${linkTo('/feed.atom', 'Atom')}.</p>`
  if (readings !== null) return { heading: 'Feeds', content: `${lead}${tableHtml(readings)}${files}` }
  const list = `<p>${linkTo('/explorer/feeds', 'All feeds with their newest values')}</p>`
  return { heading: SITE_NAME, content: `${lead}${list}${files}${placesHtml}` }
}

/** The page has at most about 500 kB. The files have all. */
const MAX_ROWS = 1_000

/** The client returns the same list until a value changes. */
const tableHtml = createObjectMemo((readings: readonly Reading[]): string => {
  const shown = readings.slice(0, MAX_ROWS)
  const decimals = decimalsByUnit(shown)
  const rows = shown.map((reading) => {
    const href = feedHref(reading.feed_id)
    const name = isolated(feedName(reading))
    const value = alignDecimals(valueText(reading), decimals.get(reading.unit) ?? 0)
    return `<tr><th scope="row">${href === null ? name : linkTo(href, name)}</th><td class="is-number">${value} <span class="plain-unit">${unitHtml(reading)}</span></td><td>${periodHtml(reading)}</td></tr>`
  })
  const rest = readings.length - shown.length
  const more = rest === 0 ? '' : `<p>${rest} more are in the files.</p>`
  return `<table class="plain plain-feeds"><colgroup><col><col><col></colgroup><thead><tr><th scope="col">Feed</th><th scope="col" class="is-number">Value <span class="plain-unit">Unit</span></th><th scope="col">Period</th></tr></thead><tbody>${rows.join('')}</tbody></table>${more}`
})

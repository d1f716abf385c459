import { forPeriod } from '@wattfeed/eia'
import { isPublicChain } from '../site/publicChains.ts'

/** The facts of a citation of one value. Its texts are cleaned for display: without hidden characters, and not too long. */
export interface Citation {
  readonly title: string
  /** Exact decimal. */
  readonly value: string
  readonly unit: string
  /** In words, such as `13 Nov 2026`. */
  readonly period: string
  /** Epoch milliseconds. */
  readonly attestedAt: number
  /** Such as `block 8123456`. */
  readonly place: string
  readonly chain: string
  /** The command that checks the value, or how else to check it. */
  readonly verify: string
}

export interface WebCitation extends Citation {
  readonly feedId: string
  readonly url: string
  /** When the page was read, in epoch milliseconds. */
  readonly accessedAt: number
}

const MAX_DATE_MS = 8_640_000_000_000_000

/** Formats a time to the second: `2026-11-20T14:05:26Z`. */
export const formatTime = (ms: number): string =>
  ms <= MAX_DATE_MS ? `${new Date(ms).toISOString().slice(0, 19)}Z` : `${ms} ms since 1970`

const describeValue = ({ value, unit, period }: Citation): string => `${value} ${unit} ${forPeriod(period)}`

const originOf = ({ attestedAt, place, chain }: Citation): string =>
  `attested ${formatTime(attestedAt)}, ${place} of ${chain}`

export const citeInWords = (cited: Citation): string =>
  `${cited.title}: ${describeValue(cited)}, ${originOf(cited)}. Verify: ${cited.verify}`

const yearOf = (ms: number): string => formatTime(ms).slice(0, 4)

/** Data of a development chain are invented, and a citation says so. */
const kindOf = ({ chain }: Citation): string => (isPublicChain(chain) ? 'Data set' : 'Invented data set')

/**
 * Cites a value in the style of the American Psychological Association, 7th edition.
 *
 * @see https://apastyle.apa.org/style-grammar-guidelines/references/examples/data-set-references
 */
export function citeApa(cited: WebCitation): string {
  const accessed = new Date(cited.accessedAt).toLocaleDateString('en-US', {
    timeZone: 'UTC',
    dateStyle: 'long',
  })
  return `${cited.title}: ${describeValue(cited)} [${kindOf(cited)}]. (${yearOf(cited.attestedAt)}). wattfeed; ${originOf(cited)}. Retrieved ${accessed}, from ${cited.url} Verify: ${cited.verify}`
}

/** Commands for the special characters of TeX. They have balanced braces, which BibTeX counts even after a backslash. */
const tex: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': '\\textquotedbl{}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
}

/** Formats a text for a field of BibTeX in braces. */
export const formatBibtexText = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replace(/[\\{}^~<>|"$&#%_]/g, (sign) => tex[sign] ?? sign)
    // TeX would join two hyphens to a dash.
    .replace(/-(?=-)/g, '-{}')

export function citeBibtex(cited: WebCitation): string {
  const key = `wattfeed-${cited.feedId}-${cited.period}`.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '')
  const accessed = formatTime(cited.accessedAt).slice(0, 10)
  const fields: readonly [name: string, text: string][] = [
    ['title', `{${formatBibtexText(cited.title)}}`],
    ['howpublished', formatBibtexText(`wattfeed. ${kindOf(cited)}, ${originOf(cited)}`)],
    ['year', yearOf(cited.attestedAt)],
    ['note', formatBibtexText(`${describeValue(cited)}. Accessed ${accessed}. Verify: ${cited.verify}`)],
    ['url', cited.url],
    ['urldate', accessed],
  ]
  return `@misc{${key},\n${fields.map(([name, text]) => `  ${name} = {${text}},`).join('\n')}\n}`
}

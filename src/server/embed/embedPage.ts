import { formatUtc } from '@wattfeed/eia'
import { formatXmlText } from '../../runtime/formatXmlText.ts'
import { escapeUnit } from '../../runtime/printable.ts'
import { type ChartContent, drawChart } from '../../web/chart/drawChart.ts'
import { formatValue } from '../../web/chart/formatValue.ts'
import { type ChartTheme, heightOf } from '../../web/chart/theme.ts'
import type { EmbedFacts } from '../../web/cite/embedFacts.ts'
import { citedNetwork, type TrustFields, trustParams } from '../../web/cite/verifyCommand.ts'
import { embedStyle } from './embedStyle.ts'

/** The script that verifies, and the one that starts it. */
export type EmbedScripts = EmbedFacts['scripts'] & { readonly start: string }

/** A chart, and what the page says of it. */
export interface EmbeddedChart extends ChartContent, Pick<EmbedFacts, 'shown' | 'proof'> {
  /** Time of the attestation of the newest value, in epoch milliseconds. */
  readonly attestedAt: number
  /** Path of the page with all values; null without one. */
  readonly href: string | null
}

export interface EmbedPage {
  readonly chart: EmbeddedChart
  readonly theme: ChartTheme
  readonly chainName: string
  readonly isPublicChain: boolean
  /** Null if the embed code names no hash. */
  readonly verification: { readonly trust: TrustFields; readonly scripts: EmbedScripts } | null
}

/**
 * The widths in pixels that a chart is drawn for. The page shows the one that fits. The fewer widths, the more values have room in
 * the page; browsers scale what is drawn.
 */
const widthChoices = [[240, 320, 420, 540, 700], [240, 420, 700], [240, 540], [240]] as const

/** Maximum size of the page. The rest of 40 kB is for its first script. */
const MAX_BYTES = 36_000

/** Formats the page of a chart for other people's pages. It has at most {@link MAX_BYTES}, unless the id of the feed has some thousand characters. */
export function formatEmbedPage(page: EmbedPage): string {
  const draw = lazyDrawings(page)
  let html = ''
  for (const widths of widthChoices) {
    html = formatPage(page, widths, widths.map(draw).join(''))
    if (Buffer.byteLength(html) <= MAX_BYTES) break
  }
  return html
}

/** Returns a function that draws the chart once for each width. */
function lazyDrawings({ chart, theme }: EmbedPage): (width: number) => string {
  const drawings = new Map<number, string>()
  return (width) => {
    const drawing =
      drawings.get(width) ??
      `<div class="drawing w${width}">${drawChart({ ...chart, caption: null }, { theme, width, height: heightOf(width) })}</div>`
    drawings.set(width, drawing)
    return drawing
  }
}

function formatPage(page: EmbedPage, widths: readonly number[], drawings: string): string {
  const { chart, theme, chainName, isPublicChain, verification } = page
  const invented = isPublicChain
    ? ''
    : '<p class="invented"><strong>Invented figures</strong> of a development chain.</p>'
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">`,
    `<title>${formatXmlText(chart.title)}</title><style>${embedStyle(theme, widths)}</style></head><body><main>`,
    `<h1 class="title">${formatXmlText(chart.title)}</h1><figure>${drawings}</figure>${invented}`,
    `<p class="muted">Attested ${formatUtc(chart.attestedAt)} on the chain <bdi>${formatXmlText(chainName)}</bdi>. ${formatLink(page)}</p>`,
    verification === null ? UNVERIFIABLE : formatVerification(chart, verification),
    formatTable(chart),
    `</main></body></html>`,
  ].join('')
}

/** Links open in a tab of their own, because the frame is too small for the page. */
function formatLink({ chart, verification }: EmbedPage): string {
  if (chart.href === null) return ''
  const trust = verification?.trust
  const fragment = trust ? `#proof&${trustParams(trust.blockHash, citedNetwork(trust))}` : ''
  const href = formatXmlText(`${chart.href}${fragment}`)
  return `<a href="${href}" target="_blank" rel="noopener">All values and proofs<span aria-hidden="true">&nbsp;↗</span></a>`
}

const UNVERIFIABLE =
  '<p class="muted">This page cannot verify the value, because its embed code names no trusted block hash.</p>'

function formatVerification(
  { shown, proof }: EmbeddedChart,
  { trust, scripts }: NonNullable<EmbedPage['verification']>,
) {
  const facts = { trust, shown, proof, scripts } satisfies EmbedFacts
  const what = 'range' in shown ? 'the values' : 'the newest value'
  // In ASCII, because `formatXmlText` would replace invisible characters, and the proof has them as they are.
  const data = formatXmlText(JSON.stringify(facts).replace(/[^ -~]/g, escapeUnit))
  return `<div id="verification" data-facts="${data}"><button type="button" hidden>Verify ${what}</button><div role="status"></div><noscript><p class="muted">Verifying needs JavaScript.</p></noscript></div><script type="module" src="${scripts.start}"></script>`
}

const TABLE_ROWS = 24

/** The newest values, for readers who do not see the chart. */
function formatTable({ points, unit }: EmbeddedChart): string {
  const rows = points
    .slice(-TABLE_ROWS)
    .reverse()
    .map(
      ({ period, value }) =>
        `<tr><th scope="row">${formatXmlText(period)}</th><td>${formatXmlText(formatValue(value))}</td></tr>`,
    )
  return `<details><summary>Values as a table</summary><table><caption>The newest values in <bdi>${formatXmlText(unit)}</bdi></caption><tbody>${rows.join('')}</tbody></table></details>`
}

import { formatRange, formatSeries } from '@wattfeed/dataset'
import type {
  Attester,
  CheckedLink,
  FeedProofCheck,
  ProvenHistory,
  ProvenRange,
  ProvenSeries,
} from 'wattfeed'
import { printable } from '../../runtime/printable.ts'

/** Formats the result as text: a line per link, and a summary. */
export function formatCheck(check: FeedProofCheck): string {
  // No link shows what the server could not prove.
  const missing = check.attester === null ? ['attester: not proven'] : []
  return [formatLinks(check.links), ...missing, summaryOf(check)].join('\n')
}

/** Formats links as text, one a line. */
export const formatLinks = (links: readonly CheckedLink[]): string =>
  links
    .map(({ link, holds, detail }) =>
      printable(`${holds ? '✓' : '✗'} ${link}${detail === '' ? '' : `: ${detail}`}`),
    )
    .join('\n')

export const isProven = ({ reading, absence, feeds, history, series, range }: FeedProofCheck): boolean =>
  reading !== null || [absence, feeds, history, series, range].some((each) => each !== undefined)

function summaryOf(check: FeedProofCheck): string {
  const { reading, index, count, absence, feeds, history, series, range, links } = check
  if (range !== undefined) return rangeSummary(range)
  if (series !== undefined) return seriesSummary(series)
  if (history !== undefined)
    return `proven: ${printable(history.feed_id)}, its complete history (count ${history.values.length}, block ${history.block_height})`
  if (feeds !== undefined)
    return `proven: ${feeds.feed_ids.length} feeds are registered, and no others, as of block ${feeds.block_height}`
  if (absence !== undefined) {
    const state = absence.absent === 'feed' ? 'is not registered' : 'has no value'
    return `proven: ${printable(absence.feed_id)} ${state} as of block ${absence.block_height}`
  }
  if (reading === null) return `refuted: ${printable(links.at(-1)?.link ?? 'the proof')} does not hold`
  const facts = [
    `amount ${reading.amount}`,
    `period ${reading.period}`,
    ...(index === undefined ? [] : [`index ${index}`]),
    ...(count === undefined ? [] : [`number ${(index ?? count - 1) + 1} of ${count}`]),
  ]
  return `proven: ${printable(reading.feed_id)} = ${reading.value} ${printable(reading.unit)} (${facts.join(', ')})`
}

/** Names a root that is not the newest: a later one may say something else. */
const rootText = (index: number | null): string => (index === null ? '' : `, root ${index}`)

function rangeSummary({ range, values, size, index }: ProvenRange): string {
  const found = values.length === 0 ? 'no value' : values.length === 1 ? '1 value' : `${values.length} values`
  return `proven: ${printable(formatRange(range))} has ${found} (of ${size}${rootText(index)})`
}

function seriesSummary(proven: ProvenSeries): string {
  const { statement, series, period, value, unit, size, leaf_index, index } = proven
  const name = printable(formatSeries(series))
  const root = rootText(index)
  if (statement === 'no_series') return `proven: ${name} has no value (of ${size} values${root})`
  if (statement === 'no_period')
    return `proven: ${name} has no value for ${printable(series.period ?? '')} (of ${size} values${root})`
  const newest = statement === 'newest' ? ' newest' : ''
  const shown = [value ?? 'withheld', ...(unit === null ? [] : [unit])].map(printable).join(' ')
  return `proven: ${name}${newest} ${printable(period ?? '')} = ${shown} (leaf ${leaf_index} of ${size}${root})`
}

/** Returns the result as JSON. `amount` is text, because it can have 512 bits. */
export function checkJson(check: FeedProofCheck): object {
  const { reading, index, count, absence, attester, feeds, history, series, range, links } = check
  return {
    proven: isProven(check),
    reading: reading && { ...reading, amount: String(reading.amount) },
    ...(index === undefined ? {} : { index }),
    ...(count === undefined ? {} : { count }),
    ...(absence === undefined ? {} : { absence }),
    ...(attester === undefined ? {} : { attester: attester && attesterJson(attester) }),
    ...(feeds === undefined ? {} : { feeds }),
    ...(history === undefined ? {} : { history: historyJson(history) }),
    ...(series === undefined ? {} : { series: seriesJson(series) }),
    ...(range === undefined ? {} : { range: rangeJson(range) }),
    links,
  }
}

/** Formats an attester as in the answers of the server. */
function attesterJson({ account, authority }: Attester): object {
  if (authority === null) return { account, authority }
  const { keys, thresholds, minSigners } = authority
  return {
    account,
    authority: {
      keys: keys.map(({ accountHash, weight }) => ({ account_hash: accountHash, weight })),
      thresholds: { deployment: thresholds.deployment, key_management: thresholds.keyManagement },
      min_signers: minSigners,
    },
  }
}

const historyJson = ({ values, ...history }: ProvenHistory): object => ({
  ...history,
  values: values.map((value) => ({ ...value, amount: String(value.amount) })),
})

const rangeJson = ({ range, ...proven }: ProvenRange): object => {
  const { route, frequency, column, facets, period_from, period_to, order, limit } = range
  return { route, frequency, column, facets, period_from, period_to, order, limit, ...proven }
}

/** The members of the series come first: without them, nobody could tell what the value is of. */
const seriesJson = ({ series, ...proven }: ProvenSeries): object => {
  const { route, frequency, column, facets } = series
  return { route, frequency, column, facets, ...proven }
}

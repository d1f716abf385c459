import type { Sample } from './parseMetrics.ts'

export interface Figure {
  label: string
  /** The largest summands, such as `['2xx', '1,234']`, the largest first. */
  parts: readonly (readonly [name: string, value: string])[]
  /** Null if the server does not report it. */
  value: string | null
}

/** Returns the figures that matter most to an operator. */
export function figuresOf(samples: readonly Sample[]): Figure[] {
  const of = (name: string): Sample[] => samples.filter((each) => each.name === name)
  const requests = of('wattfeed_http_request_duration_seconds_count')
  const seconds = sum(of('wattfeed_http_request_duration_seconds_sum'))
  const calls = of('wattfeed_rpc_calls_total')
  const bytes = sum(of('wattfeed_history_bytes'))
  return [
    figure('Requests answered', requests, ({ labels }) => `${labels.status?.[0] ?? '?'}xx`),
    plain('Mean response time', requests.length === 0 ? null : milliseconds(seconds / sum(requests))),
    figure('Calls to nodes', calls, ({ labels }) => labels.host ?? ''),
    figure('Failed calls', of('wattfeed_rpc_errors_total'), ({ labels }) => labels.code ?? '', calls),
    figure(
      'Rejected node answers',
      of('wattfeed_rpc_rejected_total'),
      ({ labels }) => labels.code ?? '',
      calls,
    ),
    figure('Open streams', of('wattfeed_streams_open'), () => ''),
    figure(
      'Stream events sent',
      of('wattfeed_stream_events_total'),
      ({ labels }) => Object.values(labels)[0] ?? '',
      of('wattfeed_streams_open'),
    ),
    figure('Cached history values', of('wattfeed_history_values'), () => ''),
    plain(
      'Size of the history cache',
      of('wattfeed_history_bytes').length === 0 ? null : `${grouped(bytes / 1e6)} MB`,
    ),
  ]
}

const sum = (samples: readonly Sample[]): number =>
  samples.reduce((total, { value }) => total + (Number.isNaN(value) ? 0 : value), 0)

const plain = (label: string, value: string | null): Figure => ({ label, parts: [], value })

const MAX_PARTS = 6

/** Sums samples, in total and by part. Without samples, the sum is zero if there are samples of `counted`, else unknown. */
function figure(
  label: string,
  samples: readonly Sample[],
  partOf: (sample: Sample) => string,
  counted: readonly Sample[] = samples,
): Figure {
  if (counted.length === 0) return plain(label, null)
  const totals = new Map<string, number>()
  for (const each of samples) totals.set(partOf(each), (totals.get(partOf(each)) ?? 0) + each.value)
  const parts = [...totals]
    .filter(([name, value]) => name !== '' && value > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_PARTS)
    .map(([name, value]) => [name, grouped(value)] as const)
  return { label, parts, value: grouped(sum(samples)) }
}

const grouped = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })

const milliseconds = (seconds: number): string => {
  const ms = seconds * 1000
  return `${ms < 10 ? ms.toFixed(1) : grouped(Math.round(ms))} ms`
}

/** A sample of a metric. NaN stands for what is not known. */
export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

/**
 * Parses the Prometheus text format; comments, buckets and lines that are none of it are left out.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * @example
 * ```ts
 * parseMetrics('a_total{code="x"} 2') // [{ name: 'a_total', labels: { code: 'x' }, value: 2 }]
 * ```
 */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
    if (name === undefined || value === undefined || name.endsWith('_bucket')) return []
    return [{ name, labels: labelsOf(labels), value: Number(value.replace('Inf', 'Infinity')) }]
  })
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, unescaped(value)]))

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))

/** A number worth showing. */
export interface Figure {
  label: string
  /** Its parts, the largest first: '200' → 1,234. */
  parts: readonly (readonly [name: string, value: string])[]
  /** Null where the server does not count it. */
  value: string | null
}

/** Picks what an operator looks at first. */
export function figuresOf(samples: readonly Sample[]): Figure[] {
  const of = (name: string): Sample[] => samples.filter((each) => each.name === name)
  const requests = of('wattfeed_http_request_duration_seconds_count')
  const seconds = sum(of('wattfeed_http_request_duration_seconds_sum'))
  const calls = of('wattfeed_rpc_calls_total')
  const bytes = sum(of('wattfeed_history_bytes'))
  return [
    figure('Requests answered', requests, ({ labels }) => `${labels.status?.[0] ?? '?'}xx`),
    plain('Mean time to an answer', requests.length === 0 ? null : milliseconds(seconds / sum(requests))),
    figure('Calls to nodes', calls, ({ labels }) => labels.host ?? ''),
    figure('Calls that failed', of('wattfeed_rpc_errors_total'), ({ labels }) => labels.code ?? '', calls),
    figure(
      'Node answers rejected',
      of('wattfeed_rpc_rejected_total'),
      ({ labels }) => labels.code ?? '',
      calls,
    ),
    figure('Streams open', of('wattfeed_streams_open'), () => ''),
    figure(
      'Stream events sent',
      of('wattfeed_stream_events_total'),
      ({ labels }) => Object.values(labels)[0] ?? '',
      of('wattfeed_streams_open'),
    ),
    figure('Values of the past remembered', of('wattfeed_history_values'), () => ''),
    plain(
      'Size of the remembered past',
      of('wattfeed_history_bytes').length === 0 ? null : `${grouped(bytes / 1e6)} MB`,
    ),
  ]
}

const sum = (samples: readonly Sample[]): number =>
  samples.reduce((total, { value }) => total + (Number.isNaN(value) ? 0 : value), 0)

const plain = (label: string, value: string | null): Figure => ({ label, parts: [], value })

const MAX_PARTS = 6

/** Sums samples, and by the part that they belong to; `counted` being there means that none is zero. */
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

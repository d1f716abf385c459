/** A sample of a metric. Its value may be NaN. */
export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

/**
 * Parses the Prometheus text format. Skips comments, buckets and invalid lines.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
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

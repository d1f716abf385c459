import type { Registry } from 'prom-client'

/** A program's metrics. */
export interface MetricsOf {
  title: string
  registry: Registry
}

async function rowsOf(registry: Registry): Promise<string> {
  const metrics = await registry.getMetricsAsJSON()
  return metrics
    .filter(({ name }) => name.startsWith('wattfeed_'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help }) => {
      const metric: object | undefined = registry.getSingleMetric(name)
      const labels: unknown = metric && 'labelNames' in metric ? metric.labelNames : []
      const shown = Array.isArray(labels) ? labels.map((label) => `\`${label}\``).join(', ') : ''
      return `| \`${name}\` | ${String(type)} | ${shown} | ${help.replaceAll('|', '\\|')} |`
    })
    .join('\n')
}

/** Writes the page of all metrics. */
export async function formatMetrics(programs: readonly MetricsOf[]): Promise<string> {
  const parts = await Promise.all(
    programs.map(
      async ({ title, registry }) =>
        `## ${title}\n\n| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n${await rowsOf(registry)}`,
    ),
  )
  return `# Metrics

Server and agent serve Prometheus text at \`/metrics\`. Both also export the process metrics of prom-client (\`process_*\`, \`nodejs_*\`). The
[alert rules](../deploy/prometheus/wattfeed.rules.yml) use these metrics, and [Alerts](alerts.md) has what to do about each.

The forwarder has no metrics. Alert on its exit and on its [log messages](operations.md#forwarder).

${parts.join('\n\n')}
`
}

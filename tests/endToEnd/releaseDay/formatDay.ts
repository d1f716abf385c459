import type { RecordedDay } from './recordDay.ts'

/** The lines that a page shows of a day's log, by the start of their times. */
const SHOWN = ['T01:02:', 'T02:', 'T15:31:']

/** The metrics that it shows. */
const METRICS = [
  'wattfeed_agent_decisions_total{decision="unchanged"}',
  'wattfeed_agent_decisions_total{decision="new-period"}',
  'wattfeed_eia_request_duration_seconds_count',
  'wattfeed_agent_executed_attestations_total',
  'wattfeed_agent_charged_motes_total',
  'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.NG.STORAGE.L48_WORKING.WEEKLY"}',
  'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.PET.PRICE.WTI.DAILY"}',
  'wattfeed_agent_attestation_cost_motes',
  'wattfeed_agent_balance_motes',
  'wattfeed_agent_balance_days',
  'wattfeed_agent_pending_transactions',
  'wattfeed_agent_feed_failing{feed_id="EIA.PET.PRICE.WTI.DAILY"}',
  'wattfeed_agent_feed_late{feed_id="EIA.PET.PRICE.WTI.DAILY"}',
]

/** What a page shows of a recorded day: its `text` blocks in order, and what is between its markers `<!-- name -->`. */
export interface FormattedDay {
  blocks: readonly string[]
  tables: Readonly<Record<'log' | 'metrics' | 'cost', string>>
}

export function formatDay(day: RecordedDay): FormattedDay {
  const { lines } = day
  const blocks = SHOWN.map((start) =>
    lines
      .filter((line) => line.slice(10).startsWith(start))
      .map((line) => `${line.replace(/\b([0-9a-f]{8})[0-9a-f]{56}\b/g, '$1…')}\n`)
      .join(''),
  )
  return { blocks, tables: { log: logTable(lines), metrics: metricsTable(day), cost: costTable(lines) } }
}

function logTable(lines: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const [, level = '', message = ''] = /^\S+ (\w+) +(.*?)(?: {2}|$)/.exec(line) ?? []
    const row = `| \`${message}\` | ${level.toLowerCase()} |`
    counts.set(row, (counts.get(row) ?? 0) + 1)
  }
  const rows = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([row, count]) => `${row} ${count} |`)
  return ['| message | level | lines |', '| --- | --- | --- |', ...rows].join('\n')
}

function metricsTable({ before, after }: RecordedDay): string {
  const shown = (values: ReadonlyMap<string, number>, name: string): string => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`the agent has no metric ${name}`)
    return String(Math.round(value))
  }
  const rows = METRICS.map((name) => `| \`${name}\` | ${shown(before, name)} | ${shown(after, name)} |`)
  return ['| metric | at 00:00 | at 24:00 |', '| --- | --- | --- |', ...rows].join('\n')
}

const MOTES = 1e9

function costTable(lines: readonly string[]): string {
  const paid = lines.flatMap((line) => {
    const [, time, ids = '', charged] =
      /^\S+T(\d\d:\d\d):\S+ INFO {2}attested .* feed_ids=(\[.*?\]) .*charged_motes=(\d+)/.exec(line) ?? []
    return charged === undefined
      ? []
      : [{ time, values: JSON.parse(ids).length, cspr: Number(charged) / MOTES }]
  })
  const sum = paid.reduce((total, { cspr }) => total + cspr, 0)
  const values = paid.reduce((total, each) => total + each.values, 0)
  const rows = [...paid, { time: 'the day', values, cspr: sum }].map(
    ({ time, values, cspr }) =>
      `| ${time} | ${values} | ${cspr.toFixed(2)} | ${(cspr / values).toFixed(2)} |`,
  )
  return [
    '| transaction at | values | charged CSPR | for each value |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

import { readablePeriod } from '@wattfeed/eia'
import type { FixedTerms, ToldRoot } from '../../agent/committee/http/messages.ts'
import { termNames } from '../../agent/committee/http/terms.ts'
import { LIFETIME_MS, SLOT_MS } from '../../agent/committee/slot.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import type { AgentReport } from './readAgents.ts'

export interface AgentsReport {
  agents: readonly AgentReport[]
  different_terms: DifferentTerm[]
  /** Agents that do not answer, clocks that are off, and nodes that are behind; each with what to do. */
  faults: string[]
  /** The roots that agents hold, by dataset. A dataset is agreed if it has one root. */
  datasets: DatasetReport[]
}

export interface DatasetReport {
  feed_id: string
  roots: { root: string; size: number; period: number; names: string[] }[]
  /** What agents say of the first value that differs: "here" is their own snapshot. */
  differences: { name: string; differs: string }[]
}

export interface DifferentTerm {
  term: string
  values: { value: string; names: string[] }[]
}

/** This command's name among those of the agents. */
const HERE = 'this command'

export function compareAgents(
  agents: readonly AgentReport[],
  here: Pick<FixedTerms, 'account' | 'chain_name'>,
): AgentsReport {
  return {
    agents,
    different_terms: listDifferentTerms(agents, here),
    faults: [...agents.flatMap(({ error }) => error ?? []), ...listClockFaults(agents), ...listLags(agents)],
    datasets: listDatasets(agents),
  }
}

function listDatasets(agents: readonly AgentReport[]): DatasetReport[] {
  const told = agents.flatMap(({ name, terms }) => (terms?.roots ?? []).map((each) => ({ name, ...each })))
  return [...Map.groupBy(told, ({ feed_id }) => feed_id)].map(([feed_id, ofFeed]) => ({
    feed_id,
    roots: [...Map.groupBy(ofFeed, rootKey).values()].flatMap((held) => {
      const [first] = held
      if (first === undefined) return []
      const { root, size, period } = first
      return [{ root, size, period, names: held.map(({ name }) => name) }]
    }),
    differences: ofFeed.flatMap(({ name, differs }) => (differs === undefined ? [] : [{ name, differs }])),
  }))
}

/** An honest root has one size and one period. */
const rootKey = ({ root, size, period }: ToldRoot): string => `${root} ${size} ${period}`

function listDifferentTerms(
  agents: readonly AgentReport[],
  here: Pick<FixedTerms, 'account' | 'chain_name'>,
): DifferentTerm[] {
  const known: { name: string; terms: Partial<FixedTerms> }[] = [
    ...agents.flatMap(({ name, terms }) => (terms === null ? [] : [{ name, terms }])),
    { name: HERE, terms: here },
  ]
  return termNames.flatMap(([field, term]) => {
    const stated = known.flatMap(({ name, terms }) => {
      const value = terms[field]
      return value === undefined ? [] : [{ name, value: printable(String(value)) }]
    })
    const names = Map.groupBy(stated, ({ value }) => value)
    if (names.size < 2) return []
    const values = [...names].map(([value, by]) => ({ value, names: by.map(({ name }) => name) }))
    return [{ term, values }]
  })
}

/** A leader whose clock is off by a slot proposes in the turn of another. A sixth of that leaves room for delays. */
const MAX_CLOCK_DIFFERENCE_MS = SLOT_MS / 6

/** Lists the agents whose clocks differ from the others'. This machine's clock does not matter. */
function listClockFaults(agents: readonly AgentReport[]): string[] {
  const clocks = agents.flatMap(({ clock_ahead_ms }) => clock_ahead_ms ?? []).sort((a, b) => a - b)
  const median = clocks[Math.floor(clocks.length / 2)] ?? 0
  return agents.flatMap(({ name, clock_ahead_ms, round_trip_ms }) => {
    const ahead = (clock_ahead_ms ?? median) - median
    if (Math.abs(ahead) <= MAX_CLOCK_DIFFERENCE_MS + (round_trip_ms ?? 0) / 2) return []
    return [
      `the clock of ${name} is ${Math.abs(ahead)} ms ${ahead > 0 ? 'ahead of' : 'behind'} the others'; synchronize it`,
    ]
  })
}

/** A member whose newest block is older signs nothing. */
const MAX_LAG_MS = LIFETIME_MS / 2

function listLags(agents: readonly AgentReport[]): string[] {
  const newest = Math.max(...agents.map(({ terms }) => terms?.block?.time ?? 0))
  return agents.flatMap(({ name, terms }) => {
    if (terms === null) return []
    if (terms.block === null) return [`${name} has read no block yet; check its node`]
    const lag = newest - terms.block.time
    return lag <= MAX_LAG_MS
      ? []
      : [`the newest block of ${name} is ${lag} ms older than that of another; check its node`]
  })
}

export const formatAgents = ({ agents, different_terms, faults, datasets }: AgentsReport): string[] =>
  agents.length === 0
    ? []
    : [
        formatTable([['agent', 'version', 'round trip', 'clock', 'newest block'], ...agents.map(rowOf)]),
        ...different_terms.map(
          ({ term, values }) => `the agents differ in ${term}: ${values.map(formatValue).join('; ')}`,
        ),
        ...faults,
        ...formatDatasets(datasets),
      ]

function formatDatasets(datasets: readonly DatasetReport[]): string[] {
  if (datasets.length === 0) return []
  const rows = datasets.flatMap(({ feed_id, roots }) =>
    roots.map(({ root, size, period, names }) => [
      feed_id,
      root,
      `${size}`,
      readablePeriod(period),
      names.join(', '),
    ]),
  )
  return [
    formatTable([['dataset', 'root', 'values', 'newest period', 'agents'], ...rows]),
    ...datasets.flatMap(formatDifference),
  ]
}

function formatDifference({ feed_id, roots, differences }: DatasetReport): string[] {
  if (roots.length < 2) return []
  return [
    `the agents hold ${roots.length} roots of ${printable(feed_id)}, which is normal for some minutes after a release`,
    ...differences.map(({ name, differs }) => `${name} says where it differs: ${printable(differs)}`),
  ]
}

const formatValue = ({ value, names }: DifferentTerm['values'][number]): string =>
  `${value} of ${names.join(', ')}`

function rowOf({ name, round_trip_ms, clock_ahead_ms, terms }: AgentReport): string[] {
  if (terms === null) return [name, '-', '-', '-', '-']
  const sign = (clock_ahead_ms ?? 0) < 0 ? '' : '+'
  return [
    name,
    printable(terms.version),
    `${round_trip_ms} ms`,
    `${sign}${clock_ahead_ms} ms`,
    terms.block === null ? '-' : String(terms.block.height),
  ]
}

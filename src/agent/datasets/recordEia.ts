import type { EiaLevel, EiaRecord } from '@wattfeed/dataset'
import { type EiaClient, EiaError } from '@wattfeed/eia'
import { textMember } from '@wattfeed/eia/internal'
import { hashedUnit } from 'wattfeed/internal'
import type { ReadRows } from './readRows.ts'
import { retryEia } from './retryEia.ts'
import type { SnapshotInput } from './snapshotInput.ts'
import { findEiaNames, type StagedNames } from './stagedNames.ts'

/**
 * Reads what EIA says of a dataset whose rows are read, for a server that answers in EIA's shapes. It needs a request for the route and
 * one for each level above it. Null if the first one fails, because no snapshot fails for that.
 *
 * @throws the signal's reason.
 */
export async function recordEia(
  { stage, page }: ReadRows,
  options: Pick<SnapshotInput, 'eia' | 'dataset' | 'facets' | 'signal' | 'minPauseMs' | 'onProgress'>,
): Promise<EiaRecord | null> {
  const { eia, dataset, signal, onProgress } = options
  const { route } = dataset
  try {
    const metadata = await retryEia(() => eia.readMetadata(route, signal), options)
    const levels = await readLevels(eia, route, signal)
    const members = membersOf({ stage, page }, options)
    const lost = members.members.filter((member) => isTooLarge(member, stage, options.facets))
    if (lost.length > 0) onProgress?.({ step: 'not_recorded', why: `${lost.join(', ')} have too many texts` })
    return { metadata, levels, ...page.about, ...members }
  } catch (error) {
    if (!(error instanceof EiaError)) throw error
    onProgress?.({ step: 'not_recorded', why: error.message })
    return null
  }
}

/** Whether a facet may determine a member of rows that has too many texts to know. */
const isTooLarge = (member: string, stage: StagedNames, facets: readonly string[]): boolean => {
  const states = facets.map((facet) => stage.textsOf(member, facet).state)
  return states.includes('too_many') && !states.includes('determined')
}

function membersOf(
  { stage, page }: ReadRows,
  { dataset: { route, columns }, facets }: Pick<SnapshotInput, 'dataset' | 'facets'>,
): Pick<EiaRecord, 'members' | 'unitMembers' | 'names'> {
  const members = stage.members()
  // The page has the columns in the order of its query.
  const units = [...columns].sort().map((column, index) => [column, page.unitMembers[index] ?? null] as const)
  const unitMembers = new Map(
    units.flatMap(([column, member]) =>
      member === null || hashedUnit(route, member) === null ? [] : [[column, member] as const],
    ),
  )
  const known = new Set(['period', ...columns, ...facets, ...unitMembers.values()])
  const others = members.filter((member) => !known.has(member))
  return { members, unitMembers, names: findEiaNames(stage, others, [...facets].sort()) }
}

/** Reads the levels above a route, from the root down, but for those that EIA does not send. */
async function readLevels(
  eia: Pick<EiaClient, 'readMetadata'>,
  route: string,
  signal: AbortSignal | undefined,
): Promise<EiaLevel[]> {
  const parts = route.split('/').slice(0, -1)
  const levels: EiaLevel[] = []
  for (let depth = 0; depth <= parts.length; depth++) {
    try {
      const sent = await eia.readMetadata(parts.slice(0, depth).join('/'), signal)
      const [name, description] = [textMember(sent, 'name'), textMember(sent, 'description')]
      levels.push({ id: parts[depth - 1] ?? '', name, description })
    } catch (error) {
      if (!(error instanceof EiaError)) throw error
    }
  }
  return levels
}

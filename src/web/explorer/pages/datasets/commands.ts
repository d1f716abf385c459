import type { FeedEntry } from '../../../../feeds/catalog/feedEntry.ts'
import { shellQuoted } from '../../../cite/shell.ts'
import type { Choice } from './choice.ts'
import type { Dataset } from './dataset.ts'

const line = (...words: readonly string[]): string => words.map(shellQuoted).join(' ')

const PROGRAM = ['wattfeed', 'feeds'] as const

export const facetsCommand = ({ route }: Pick<Dataset, 'route'>, facet: string): string =>
  `EIA_API_KEY=… ${line(...PROGRAM, 'facets', route, facet)}`

/** The command that shows the newest row, and which facets to pin. It writes nothing. */
export function previewCommand({ route }: Pick<Dataset, 'route'>, choice: Choice): string {
  const { frequency, column, facets } = choice
  const pinned = Object.entries(facets).flatMap(([facet, value]) => ['--facet', `${facet}=${value}`])
  const flags = ['--frequency', frequency, '--column', column, ...pinned, '--dry-run']
  return `EIA_API_KEY=… ${line(...PROGRAM, 'new', route, ...flags)}`
}

/** The steps from an entry in `feeds.json` to values on the chain. */
export function stepsOf({
  feed_id: id,
  frequency,
}: Pick<FeedEntry, 'feed_id' | 'frequency'>): { does: string; command: string }[] {
  const feeds = (...words: string[]): string => `FEEDS_FILE=feeds.json ${line(...PROGRAM, ...words)}`
  return [
    {
      does: 'Check it against EIA: one series, known facets, the right unit.',
      command: `EIA_API_KEY=… ${feeds('check', id, '--write')}`,
    },
    {
      does: 'Preview the registration and its cost.',
      command: feeds('register', id, '--dry-run'),
    },
    { does: 'Register it on the chain.', command: feeds('register', id) },
    {
      does: 'Attest its history before its first value. (Skip this to start with the newest value.)',
      command: `EIA_API_KEY=… ${feeds('backfill', id, '--from', someYear(frequency), '--dry-run')}`,
    },
  ]
}

/** The first period of a recent year, as EIA writes it. Weeks end on a Friday. */
const someYear = (frequency: string): string => firstPeriods[frequency] ?? '2025-01-03'

const firstPeriods: Readonly<Record<string, string>> = {
  hourly: '2025-01-01T00',
  'local-hourly': '2025-01-01T00-05:00',
  daily: '2025-01-02',
  monthly: '2025-01',
  quarterly: '2025-Q1',
  annual: '2020',
}

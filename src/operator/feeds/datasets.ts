import { type Dataset, datasets, searchDatasets } from '../../catalog/datasets.ts'
import { searchWords } from '../../catalog/searchWords.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import type { CommandResult } from '../../runtime/terminal.ts'
import type { Program } from '../program.ts'
import { readsOnly, runFeeds } from './runFeeds.ts'
import { formatSection, type Section, type SectionOptions, sectionFields, sectionOf, withSection } from './section.ts'

const help = `
Finds datasets in the catalog by words in route, name or description, without network.

Examples:
  $ bun run feeds datasets retail gasoline
  $ bun run feeds datasets --limit 300 --json | jq -r '.datasets[].route'`

export function addDatasets(program: Program): void {
  withSection(program.add('datasets', 'find datasets in the catalog', help))
    .argument('[words...]', 'parts of route, name or description; all of them must match')
    .action((words: string[], options: SectionOptions) =>
      runFeeds(program, 'datasets', options, readsOnly, async () => findDatasets(words, options)),
    )
}

export function findDatasets(words: readonly string[], section: Section): CommandResult {
  const matches = searchWords(words.join(' ')).map((q) => new Set(searchDatasets({ q })))
  const found = datasets.filter((dataset) => matches.every((match) => match.has(dataset)))
  const shown = sectionOf(found, section)
  return {
    report: {
      command: 'datasets',
      ...sectionFields(found, section),
      datasets: shown.map(({ route, name, description, frequencies, columns, facets }) => ({
        route,
        name,
        description,
        frequencies,
        columns,
        facets,
      })),
    },
    text: [...shown.map(formatDataset), formatSection(found.length, section, 'dataset')].join('\n'),
  }
}

const formatDataset = ({ route, name, frequencies, columns, facets }: Dataset): string =>
  [
    `${route}  ${name}`,
    formatTable([
      ['  frequencies', frequencies.join(', ')],
      ['  columns', columns.join(', ')],
      ['  facets', facets.join(', ') || 'none: it is one series'],
    ]),
  ].join('\n')

import type { AgentSettings } from '../../agent/settings/agentSettings.ts'
import { type Dataset, findDataset, searchDatasets } from '../../catalog/datasets.ts'
import { searchWords } from '../../catalog/searchWords.ts'
import type { FacetValue } from '../../eia/facetValue.ts'
import { WattfeedError } from '../../errors.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { SettingsError } from '../../runtime/settings/settings.ts'
import type { CommandResult } from '../../runtime/terminal.ts'
import { openEia } from '../open.ts'
import type { Program } from '../program.ts'
import { readsOnly, runFeeds } from './runFeeds.ts'
import { formatSection, type Section, type SectionOptions, sectionFields, sectionOf, withSection } from './section.ts'

const help = `
Lists the facets of a dataset, without network, or the values that one of them may have. EIA lists the values:
EIA_API_KEY is needed.

Examples:
  $ bun run feeds facets petroleum/pri/spt
  $ EIA_API_KEY=… bun run feeds facets petroleum/pri/spt series crude`

export function addFacets(program: Program): void {
  withSection(program.add('facets', 'list the facets of a dataset, or the values of one', help))
    .argument('<route>', 'a dataset of the catalog')
    .argument('[facet]', 'one of its facets, to list its values from EIA')
    .argument('[words...]', 'parts of a value’s id or name; all of them must match')
    .action((route: string, facet: string | undefined, words: string[], options: SectionOptions) =>
      facet === undefined
        ? runFeeds(program, 'facets', options, readsOnly, async () => listFacets(route, options))
        : runFeeds(program, 'facets', options, { writes: false, fetches: true }, (settings) =>
            findFacetValues(settings, { route, facet, words }, options),
          ),
    )
}

export function listFacets(route: string, section: Section): CommandResult {
  const { name, facets } = knownDataset(route)
  const shown = sectionOf(facets, section)
  const hint = facets.length === 0 ? [] : [`"feeds facets ${route} ${facets[0]}" lists the values of one`]
  return {
    report: { command: 'facets', route, ...sectionFields(facets, section), facets: shown },
    text: [
      `${route}  ${name}`,
      ...shown.map((facet) => `  ${facet}`),
      formatSection(facets.length, section, 'facet'),
      ...hint,
    ].join('\n'),
  }
}

export async function findFacetValues(
  settings: AgentSettings,
  { route, facet, words }: { route: string; facet: string; words: readonly string[] },
  section: Section,
): Promise<CommandResult> {
  const { facets } = knownDataset(route)
  if (!facets.includes(facet))
    throw new NotInCatalogError(`${route} has no facet ${facet}; it has ${facets.join(', ') || 'none'}`)
  const eia = openEia(settings)
  if (eia === null) throw new SettingsError({ faults: ['EIA_API_KEY is not set'] })
  const known = await eia.listFacetValues(route, facet)
  const wanted = searchWords(words.join(' '))
  const found = known.filter((value) => wanted.every((word) => holds(value, word)))
  const shown = sectionOf(found, section)
  return {
    report: { command: 'facets', route, facet, ...sectionFields(found, section), values: shown },
    text: [
      ...(shown.length === 0
        ? []
        : [formatTable(shown.map(({ id, name, alias = '' }) => [id, name, alias]))]),
      formatSection(found.length, section, `value of ${facet}`, `values of ${facet}`),
    ].join('\n'),
  }
}

const holds = ({ id, name, alias = '' }: FacetValue, word: string): boolean =>
  [id, name, alias].some((text) => text.toLowerCase().includes(word))

export class NotInCatalogError extends WattfeedError {
  static override readonly name = 'NotInCatalogError'
  readonly code = 'not_in_catalog'
  readonly retryable = false
}

const MAX_NEAR = 5

function knownDataset(route: string): Dataset {
  const found = findDataset(route)
  if (found !== null) return found
  const near = searchDatasets({ q: route }).slice(0, MAX_NEAR)
  const hint =
    near.length === 0
      ? '"feeds datasets" lists those that it has'
      : `did you mean ${near.map((dataset) => dataset.route).join(', ')}?`
  throw new NotInCatalogError(`the catalog has no dataset ${route}; ${hint}`)
}

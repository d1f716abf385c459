import { openFacets, seriesFirst } from '@wattfeed/eia/catalog'
import { useState } from 'preact/hooks'
import type { AttestedDatasetBody } from '../../../../api/schemas.ts'
import { replaceQuery } from '../../address.ts'
import { hasDatasets, useServerIndex } from '../../data/serverIndex.ts'
import { showText } from '../../format/untrusted.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { EiaKeyForm } from '../../ui/eiaKeyForm.tsx'
import { Code, Text } from '../../ui/text.tsx'
import { ATTESTED_ID, Attested } from './attested.tsx'
import { type Choice, choiceOf } from './choice.ts'
import { chosenSeries } from './chosenSeries.ts'
import { facetsCommand } from './commands.ts'
import type { Dataset } from './dataset.ts'
import { usePreview } from './eiaReads.ts'
import { FacetField } from './facetField.tsx'
import { FeedDraft } from './feedDraft.tsx'
import { PreviewOf } from './preview.tsx'

/** Builds a feed from a dataset: the series, its newest rows, the entry, the commands and the costs. */
export function Builder({
  dataset,
  query,
  attested,
}: {
  dataset: Dataset
  query: URLSearchParams
  attested: readonly AttestedDatasetBody[]
}) {
  const choice = choiceOf(dataset, query)
  const index = useServerIndex()
  const root = attested.find((each) => each.route === dataset.route && each.frequency === choice.frequency)
  const codesOf = index !== null && hasDatasets(index) ? root : undefined
  const hasValue = codesOf !== undefined && 'query' in chosenSeries(dataset.route, choice, codesOf)
  const preview = usePreview(dataset, choice)
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const [unknown, setUnknown] = useState<Readonly<Record<string, string | null>>>({})
  const rows = preview.state === 'answered' && 'rows' in preview.answer ? preview.answer.rows : []
  return (
    <article class="builder">
      <h2>
        <Text text={dataset.name} />
      </h2>
      <p>
        <Code text={dataset.route} class="route" />
      </p>
      <h3>1. The series</h3>
      <EiaKeyForm purpose="the facets’ values and the newest rows appear here" />
      <div class="fields">
        <Pick name="frequency" options={dataset.frequencies} value={choice.frequency} />
        <Pick name="column" options={dataset.columns} value={choice.column} />
      </div>
      <div class="fields">
        {dataset.facets.map((facet) => (
          <FacetField
            key={facet}
            route={dataset.route}
            facet={facet}
            value={choice.facets[facet] ?? ''}
            attested={codesOf?.facets.includes(facet) ? codesOf.frequency : null}
            onName={(name) => setNames((last) => ({ ...last, [facet]: name }))}
            onUnknown={(code) => setUnknown((last) => ({ ...last, [facet]: code }))}
          />
        ))}
      </div>
      <Pinned
        dataset={dataset}
        choice={choice}
        hasValue={hasValue}
        unknown={dataset.facets.find((facet) => unknown[facet] && unknown[facet] === choice.facets[facet])}
      />
      <Attested dataset={dataset} choice={choice} />
      <h3>2. Its newest rows</h3>
      <PreviewOf dataset={dataset} choice={choice} preview={preview} />
      <h3>3. The feed</h3>
      <FeedDraft dataset={dataset} choice={choice} names={namesOf(choice, names)} rows={rows} />
    </article>
  )
}

/** The names of the values that are pinned now. */
const namesOf = ({ facets }: Choice, names: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(facets).flatMap((facet) => (names[facet] ? [[facet, names[facet]]] : [])))

function Pick({
  name,
  options,
  value,
}: {
  name: 'frequency' | 'column'
  options: readonly string[]
  value: string
}) {
  return (
    <label>
      <span class="label">{name === 'frequency' ? 'Frequency' : 'Column'}</span>
      <select value={value} onChange={({ currentTarget }) => replaceQuery({ [name]: currentTarget.value })}>
        {options.map((option) => (
          <option key={option} value={option}>
            {showText(option, 80)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface PinnedProps {
  dataset: Dataset
  choice: Choice
  /** Whether the section below looks for its attested value. */
  hasValue: boolean
  /** The first facet with a code that no list has. */
  unknown: string | undefined
}

/** Lists the facets that are not pinned, and the command that lists their values. */
function Pinned({ dataset, choice, hasValue, unknown }: PinnedProps) {
  const open = seriesFirst(openFacets(dataset.facets, choice.facets))
  const [first] = open
  if (first === undefined && unknown !== undefined)
    return (
      <p class="hint">
        <Text text={choice.facets[unknown] ?? ''} max={60} /> is not a code of{' '}
        <Text text={unknown} max={60} />. Choose one of its codes first.
      </p>
    )
  if (first === undefined)
    return (
      <p class="hint">
        You have chosen one series. {hasValue && <a href={`#${ATTESTED_ID}`}>Go to its attested value</a>}
      </p>
    )
  return (
    <>
      <p>
        Not pinned: {open.map((facet) => showText(facet, 60)).join(', ')}. A feed must be one series:{' '}
        {dataset.facets.includes('series') ? 'pin series alone, or every facet' : 'pin every facet'} that has
        more than one value.
      </p>
      <Copyable
        label={`the command that lists the values of ${first}`}
        text={facetsCommand(dataset, first)}
      />
    </>
  )
}

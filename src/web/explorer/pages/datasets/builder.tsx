import type { FacetValue } from '@wattfeed/eia'
import { openFacets, seriesFirst } from '@wattfeed/eia/catalog'
import { useEffect, useState } from 'preact/hooks'
import { replaceQuery } from '../../address.ts'
import { showText } from '../../format/untrusted.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { EiaKeyForm } from '../../ui/eiaKeyForm.tsx'
import { Code, Text } from '../../ui/text.tsx'
import { AddressField } from './addressField.tsx'
import { Attested } from './attested.tsx'
import { type Choice, choiceOf, facetPart } from './choice.ts'
import { facetsCommand } from './commands.ts'
import type { Dataset } from './dataset.ts'
import { type AskedOfEia, useFacetValues, usePreview } from './eiaReads.ts'
import { FeedDraft } from './feedDraft.tsx'
import { PreviewOf } from './preview.tsx'

/** Builds a feed from a dataset: the series, its newest rows, the entry, the commands and the costs. */
export function Builder({ dataset, query }: { dataset: Dataset; query: URLSearchParams }) {
  const choice = choiceOf(dataset, query)
  const preview = usePreview(dataset, choice)
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
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
        {dataset.facets.map((facet) => (
          <Facet
            key={facet}
            route={dataset.route}
            facet={facet}
            value={choice.facets[facet] ?? ''}
            onName={(name) => setNames((last) => ({ ...last, [facet]: name }))}
          />
        ))}
      </div>
      <Pinned dataset={dataset} choice={choice} />
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

interface FacetProps {
  route: string
  facet: string
  value: string
  onName: (name: string) => void
}

const MAX_OPTIONS = 300

/** A facet's value: typed, or chosen from EIA’s list if there is a key. */
function Facet({ route, facet, value, onName }: FacetProps) {
  const [isTouched, setTouched] = useState(false)
  const values = useFacetValues(route, facet, isTouched || value !== '')
  const known = values.state === 'answered' ? values.answer : []
  const named = known.find(({ id }) => id === value)
  const name = named?.name
  useEffect(() => {
    if (name !== undefined) onName(name)
  }, [name])
  return (
    <AddressField
      part={facetPart(facet)}
      label={facet}
      value={value}
      hint={name === undefined ? hintOf(values, value) : <Text text={name} max={120} />}
      options={matching(known, value).map(({ id, name }) => (
        <option key={id} value={id}>
          {showText(name, 120)}
        </option>
      ))}
      onFocus={() => setTouched(true)}
    />
  )
}

const matching = (values: readonly FacetValue[], text: string): readonly FacetValue[] => {
  const word = text.toLowerCase()
  return values.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(word)).slice(0, MAX_OPTIONS)
}

function hintOf(values: AskedOfEia<readonly FacetValue[]>, value: string): string {
  if (values.state === 'failed') return 'EIA did not list its values.'
  if (values.state !== 'answered') return value === '' ? 'not pinned' : ' '
  if (value === '') return `not pinned; EIA lists ${values.answer.length} values`
  return 'EIA does not list this value.'
}

/** Lists the facets that are not pinned, and the command that lists their values. */
function Pinned({ dataset, choice }: { dataset: Dataset; choice: Choice }) {
  const open = seriesFirst(openFacets(dataset.facets, choice.facets))
  const [first] = open
  if (first === undefined) return <p class="hint">You have chosen one series.</p>
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

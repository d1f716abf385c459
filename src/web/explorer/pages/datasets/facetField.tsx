import { type FacetCode, nearestCode } from '@wattfeed/dataset'
import type { FacetValue } from '@wattfeed/eia'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { codesUrl } from '../../../cite/addresses.ts'
import { replaceQuery } from '../../address.ts'
import { useAnswer } from '../../data/resource.ts'
import { showText } from '../../format/untrusted.ts'
import { Text } from '../../ui/text.tsx'
import { AddressField } from './addressField.tsx'
import { facetPart } from './choice.ts'
import { type AskedOfEia, useFacetValues } from './eiaReads.ts'

const shape = shapeOf('codesBody')

export interface FacetFieldProps {
  route: string
  facet: string
  value: string
  /** The frequency of which the server has an attested dataset; null if it has none. */
  attested: string | null
  onName: (name: string) => void
  /** Told the code that no list has; null if a list has it, or without lists. */
  onUnknown: (code: string | null) => void
}

const MAX_OPTIONS = 300

/** A facet's value: typed, or chosen from the codes of the attested dataset, or from EIA’s list if there is a key. */
export function FacetField({ route, facet, value, attested, onName, onUnknown }: FacetFieldProps) {
  const [isTouched, setTouched] = useState(false)
  const values = useFacetValues(route, facet, isTouched || value !== '')
  const path = attested === null ? null : codesUrl('', { route, frequency: attested, facet })
  const codes = useAnswer(path, shape).answer?.codes ?? []
  const known = values.state === 'answered' ? values.answer : codes.flatMap(named)
  const name = known.find(({ id }) => id === value)?.name
  useEffect(() => {
    if (name) onName(name)
  }, [name])
  const hasList = values.state === 'answered' || codes.length > 0
  const unknown = value !== '' && hasList && name === undefined ? value : null
  useEffect(() => onUnknown(unknown), [unknown])
  return (
    <AddressField
      part={facetPart(facet)}
      label={facet}
      value={value}
      hint={hintOf({ facet, value, values, codes, name })}
      options={matching(known, value).map(({ id, name }) => (
        <option key={id} value={id}>
          {showText(name, 120)}
        </option>
      ))}
      after={codes.length > 0 && <Codes facet={facet} value={value} codes={codes} />}
      onFocus={() => setTouched(true)}
    />
  )
}

const named = ({ id, name }: FacetCode): FacetValue[] => (id === null ? [] : [{ id, name: name ?? '' }])

const matching = <T extends { id: string | null; name: string | null }>(
  values: readonly T[],
  text: string,
): readonly T[] => {
  const word = text.toLowerCase()
  return values
    .filter(({ id, name }) => `${id ?? ''} ${name ?? ''}`.toLowerCase().includes(word))
    .slice(0, MAX_OPTIONS)
}

interface HintFacts {
  facet: string
  value: string
  values: AskedOfEia<readonly FacetValue[]>
  codes: readonly FacetCode[]
  name: string | undefined
}

function hintOf({ facet, value, values, codes, name }: HintFacts): ComponentChildren {
  if (value !== '' && codes.length > 0) {
    const code = codes.find(({ id }) => id === value)
    if (code === undefined && values.state !== 'answered')
      return <Unknown facet={facet} value={value} codes={codes} />
  }
  if (name) return <Text text={name} max={120} />
  if (values.state === 'failed') return 'EIA did not list its values.'
  if (values.state !== 'answered') return value === '' ? 'not pinned' : ' '
  if (value === '') return `not pinned; EIA lists ${values.answer.length} values`
  return name === undefined ? 'EIA does not list this value.' : ' '
}

/** Says that the attested dataset does not have a code, and offers the one that was most likely meant. */
function Unknown({ facet, value, codes }: Pick<HintFacts, 'facet' | 'value' | 'codes'>) {
  const nearest = nearestCode(codes, value)
  if (nearest === null) return <>The attested dataset has no such code.</>
  return (
    <>
      No such code. Did you mean{' '}
      <button type="button" class="suggestion" onClick={() => replaceQuery({ [facetPart(facet)]: nearest })}>
        <Text text={nearest} max={60} />
      </button>
      ?
    </>
  )
}

/** The codes of the attested dataset, to choose one: those that match what is typed, or all around a chosen one. A choice closes the list. */
function Codes({ facet, value, codes }: Pick<HintFacts, 'facet' | 'value' | 'codes'>) {
  const isChosen = value === '' || codes.some(({ id }) => id === value)
  const shown = matching(codes, isChosen ? '' : value)
  const list = useRef<HTMLDetailsElement>(null)
  const summary = useRef<HTMLElement>(null)
  const choose = (id: string | null) => {
    if (id === null) replaceQuery({}, [facetPart(facet)])
    else replaceQuery({ [facetPart(facet)]: id })
    if (list.current !== null) list.current.open = false
    // The chosen button, which had the focus, is hidden now.
    summary.current?.focus()
  }
  return (
    <details class="codes" ref={list}>
      <summary class="codes-summary" ref={summary}>
        {codes.length.toLocaleString('en')} {codes.length === 1 ? 'code' : 'codes'}
        <span class="visually-hidden"> of {showText(facet, 60)}</span>
      </summary>
      <ul class="code-list">
        {shown.map(({ id, name, values }) => (
          <li key={id}>
            <button type="button" class="code" aria-pressed={id === value} onClick={() => choose(id)}>
              {id === null ? <i>none</i> : <Text text={id} max={60} />}
              <span class="code-name">{name !== null && <Text text={name} max={120} />}</span>
              <span class="code-values">
                {values.toLocaleString('en')}
                <span class="visually-hidden"> {values === 1 ? 'value' : 'values'}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length < codes.length && (
        <p class="hint">
          {isChosen
            ? `The first ${shown.length.toLocaleString('en')}. Type to find others.`
            : `${shown.length.toLocaleString('en')} match.`}
        </p>
      )}
    </details>
  )
}

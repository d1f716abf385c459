import { formatRecipe, recipeOf } from '../../../eia/recipe.ts'
import type { EiaRow } from '../../../eia/series.ts'
import { now } from '../../data/now.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { AddressField } from './addressField.tsx'
import { Checked } from './checked.tsx'
import type { Choice, TextField } from './choice.ts'
import { stepsOf } from './commands.ts'
import { costOf } from './cost.ts'
import type { Dataset } from './dataset.ts'
import { draftOf, type Entry, formatEntry } from './entry.ts'

export interface FeedDraftProps {
  dataset: Dataset
  choice: Choice
  names: Readonly<Record<string, string>>
  /** EIA's newest rows, the newest first; none where EIA was not asked. */
  rows: readonly EiaRow[]
}

const fields: readonly [name: TextField, label: string, hint: string][] = [
  ['id', 'Feed id', 'On chain for ever.'],
  ['title', 'Title', 'What people read first.'],
  ['description', 'Description', 'Up to about 200 characters cost nothing more.'],
  ['unit', 'Unit', 'Needed: what every value is shown with, such as $/bbl.'],
  ['decimals', 'Decimals', 'Digits behind the point that are attested.'],
]

/** The entry of a feeds file, what to do with it, and what that costs. */
export function FeedDraft({ dataset, choice, names, rows }: FeedDraftProps) {
  const { texts, faults, entry } = draftOf({
    dataset,
    choice,
    names,
    newest: rows[0] ?? null,
    now: now.value,
  })
  return (
    <>
      <div class="fields">
        {fields.map(([name, label, hint]) => (
          <AddressField
            key={name}
            class={`field-${name}`}
            part={name}
            label={label}
            value={choice.given[name] ?? ''}
            placeholder={texts[name]}
            hint={hint}
            fault={choice.given[name] === undefined ? undefined : faults.get(name)}
            isNumber={name === 'decimals'}
          />
        ))}
      </div>
      {entry === null ? (
        <p class="notice">
          {texts.unit === '' ? 'Name the unit' : 'Correct the field above'}, and the entry appears here with
          the commands and what it costs.
        </p>
      ) : (
        <Steps entry={entry} rows={rows} />
      )}
    </>
  )
}

function Steps({ entry, rows }: { entry: Entry; rows: readonly EiaRow[] }) {
  return (
    <>
      <p>
        Put it into the list in <code>feeds.json</code>:
      </p>
      <Copyable label="the entry of feeds.json" text={formatEntry(entry)} />
      <Recipe entry={entry} />
      <h3>4. What it costs</h3>
      <Costs entry={entry} />
      <h3>5. What is checked, and what is not</h3>
      <Checked rows={rows} />
      <h3>6. From here to the chain</h3>
      <ol class="steps">
        {stepsOf(entry).map(({ does, command }) => (
          <li key={command}>
            {does}
            <Copyable label={`command: ${does}`} text={command} />
          </li>
        ))}
        <li>
          A running agent sees the changed file within seconds and attests the newest value; else start one
          with <code>wattfeed agent</code>.
        </li>
      </ol>
      <p class="hint">
        <code>wattfeed</code> is the binary; from source it is <code>bun run</code>. The settings of node,
        chain and key: <code>wattfeed feeds --help</code>, and docs/agent.md in the repository.
      </p>
    </>
  )
}

function Recipe({ entry }: { entry: Entry }) {
  const recipe = recipeOf(entry)
  if (recipe === null)
    return (
      <p class="hint">
        Without <code>upstream_unit</code> nobody can recompute its hashes from the chain:{' '}
        <code>feeds check --write</code> asks EIA and sets it.
      </p>
    )
  return (
    <p class="hint">
      On chain, the last line of its description tells anyone how to recompute its hashes:{' '}
      <code class="hash">{formatRecipe(recipe)}</code>
    </p>
  )
}

function Costs({ entry }: { entry: Entry }) {
  const { register, valuesADay, day } = costOf(entry)
  const range = (days: number): string => {
    const [from, to] = [day.batched * days, day.single * days].map(rounded)
    return from === to ? `${to} CSPR` : `${from} to ${to} CSPR`
  }
  return (
    <>
      <table class="plain">
        <tbody>
          <tr>
            <th scope="row">Registering, once</th>
            <td>{register} CSPR</td>
          </tr>
          <tr>
            <th scope="row">Values a day</th>
            <td>{Number(valuesADay.toPrecision(3))}</td>
          </tr>
          <tr>
            <th scope="row">Attesting, a day</th>
            <td>{range(1)}</td>
          </tr>
          <tr>
            <th scope="row">Attesting, a month</th>
            <td>{range(DAYS_A_MONTH)}</td>
          </tr>
        </tbody>
      </table>
      <p class="hint">
        Upper bounds from gas measured on a Casper node, as <code>wattfeed feeds costs</code> gives them: the
        lower figure where values share transactions, the higher where each has its own. Revisions and the
        past come on top.
      </p>
    </>
  )
}

const DAYS_A_MONTH = 146_097 / 4_800

/** Rounds up to three digits, as one does with costs. */
function rounded(cspr: number): string {
  const step = 10 ** (Math.floor(Math.log10(cspr)) - 2)
  return String(Number((Math.ceil(cspr / step) * step).toPrecision(3)))
}

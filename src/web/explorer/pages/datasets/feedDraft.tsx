import type { EiaRow } from '@wattfeed/eia'
import { recipeOf } from 'wattfeed/internal'
import { formatRecipe } from 'wattfeed/provenance'
import { draftFields, draftNames, type FeedEntry } from '../../../../feeds/catalog/feedEntry.ts'
import { now } from '../../data/now.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { AddressField } from './addressField.tsx'
import { Checked } from './checked.tsx'
import type { Choice } from './choice.ts'
import { stepsOf } from './commands.ts'
import { costOf, DAYS_A_YEAR } from './cost.ts'
import type { Dataset } from './dataset.ts'
import { draftOf, formatEntry } from './draft.ts'

export interface FeedDraftProps {
  dataset: Dataset
  choice: Choice
  names: Readonly<Record<string, string>>
  /** EIA's newest rows, newest first; empty without a request to EIA. */
  rows: readonly EiaRow[]
}

/** The entry of a feeds file, its next steps, and its costs. */
export function FeedDraft({ dataset, choice, names, rows }: FeedDraftProps) {
  const { texts, faults, entry } = draftOf({ dataset, choice, names, rows, now: now.value })
  return (
    <>
      <div class="fields">
        {draftNames.map((name) => (
          <AddressField
            key={name}
            class={`field-${name}`}
            part={name}
            label={draftFields[name].label}
            value={choice.given[name] ?? ''}
            placeholder={texts[name]}
            hint={draftFields[name].hint}
            fault={choice.given[name] === undefined ? undefined : faults.get(name)}
            isNumber={name === 'decimals'}
          />
        ))}
      </div>
      {entry === null ? (
        <p class="notice">
          {texts.unit === '' ? 'Enter the unit' : 'Correct the field above'} to see the entry, the commands
          and the costs.
        </p>
      ) : (
        <Steps entry={entry} rows={rows} />
      )}
    </>
  )
}

function Steps({ entry, rows }: { entry: FeedEntry; rows: readonly EiaRow[] }) {
  return (
    <>
      <p>
        Add it to the list in <code>feeds.json</code>:
      </p>
      <Copyable label="the entry of feeds.json" text={formatEntry(entry)} />
      <Recipe entry={entry} />
      <h3>4. Costs</h3>
      <Costs entry={entry} />
      <h3>5. Checks</h3>
      <Checked rows={rows} />
      <h3>6. Next steps</h3>
      <ol class="steps">
        {stepsOf(entry).map(({ does, command }) => (
          <li key={command}>
            {does}
            <Copyable label={`command: ${does}`} text={command} />
          </li>
        ))}
        <li>
          A running agent reads the changed file within seconds and attests the newest value. Otherwise start
          one: <code>wattfeed agent</code>.
        </li>
      </ol>
      <p class="hint">
        <code>wattfeed</code> is the binary; from source, use <code>bun run</code>. For the settings of node,
        chain and key, see <code>wattfeed feeds --help</code> and <a href="/docs/agent">the agent’s guide</a>.
      </p>
    </>
  )
}

function Recipe({ entry }: { entry: FeedEntry }) {
  const recipe = recipeOf(entry)
  if (recipe === null)
    return (
      <p class="hint">
        Without <code>upstream_unit</code>, its hashes cannot be recomputed from the chain.{' '}
        <code>feeds check --write</code> reads it from EIA and sets it.
      </p>
    )
  return (
    <p class="hint">
      The last line of its description on chain is the recipe for recomputing its hashes:{' '}
      <code class="hash">{formatRecipe(recipe)}</code>
    </p>
  )
}

function Costs({ entry }: { entry: FeedEntry }) {
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
            <th scope="row">Registration, once</th>
            <td>{register} CSPR</td>
          </tr>
          <tr>
            <th scope="row">Values per day</th>
            <td>{Number(valuesADay.toPrecision(3))}</td>
          </tr>
          <tr>
            <th scope="row">Attesting, per day</th>
            <td>{range(1)}</td>
          </tr>
          <tr>
            <th scope="row">Attesting, per month</th>
            <td>{range(DAYS_A_YEAR / 12)}</td>
          </tr>
        </tbody>
      </table>
      <p class="hint">
        Upper bounds from gas measured on a Casper node, the same as <code>wattfeed feeds costs</code>. The
        lower figure applies if values share transactions, the higher if each has its own. Revisions and
        history cost extra.
      </p>
    </>
  )
}

/** Rounds up to three digits, because all costs are upper bounds. */
function rounded(cspr: number): string {
  const step = 10 ** (Math.floor(Math.log10(cspr)) - 2)
  return String(Number((Math.ceil(cspr / step) * step).toPrecision(3)))
}

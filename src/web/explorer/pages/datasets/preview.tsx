import { replaceQuery } from '../../address.ts'
import { showText } from '../../format/untrusted.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Text } from '../../ui/text.tsx'
import { type Choice, facetPart } from './choice.ts'
import { previewCommand } from './commands.ts'
import type { Dataset } from './dataset.ts'
import type { AskedOfEia, Preview } from './eiaReads.ts'

export interface PreviewProps {
  dataset: Dataset
  choice: Choice
  preview: AskedOfEia<Preview>
}

/** The newest rows of the chosen series, or why there are none. */
export function PreviewOf(props: PreviewProps) {
  // With a key it has a fixed height, so that an answer does not move the page.
  return (
    <div class={props.preview.state === 'no key' ? undefined : 'preview'}>
      <Found {...props} />
    </div>
  )
}

function Found({ dataset, choice, preview }: PreviewProps) {
  const command = (
    <Copyable label="the command that shows the newest row" text={previewCommand(dataset, choice)} />
  )
  if (preview.state === 'no key')
    return (
      <>
        <p>Enter your key above, or run this command. It writes nothing.</p>
        {command}
      </>
    )
  if (preview.state === 'asking') return <p role="status">Waiting for EIA …</p>
  if (preview.state === 'failed')
    return (
      <>
        <div class="notice is-fault" role="alert">
          <p class="notice-title">EIA returned no rows</p>
          <p>
            <Text text={preview.reason} />
          </p>
          <button type="button" onClick={preview.retry}>
            Try again
          </button>
        </div>
        <p>
          A terminal does not have a browser’s limits. This command shows the newest row, and writes nothing.
          You can also continue below without it, once you enter the unit.
        </p>
        {command}
      </>
    )
  const { answer } = preview
  return 'rows' in answer ? <Rows rows={answer.rows} /> : <ToPin {...answer} />
}

const ROWS_SHOWN = 6

function Rows({ rows }: Pick<Extract<Preview, { rows: unknown }>, 'rows'>) {
  return (
    <table class="plain">
      <caption>EIA’s rows, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Period</th>
          <th scope="col" class="is-number">
            Value
          </th>
          <th scope="col">Unit</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, ROWS_SHOWN).map(({ period, value, statedUnit }) => (
          <tr key={period}>
            <th scope="row">
              <Text text={period} max={40} />
            </th>
            <td class="is-number">{value === null ? 'withheld' : <Text text={value} max={40} />}</td>
            <td>{statedUnit === null ? 'none' : <Text text={statedUnit} max={60} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const MAX_SHOWN = 24

function ToPin({ facet, values }: Extract<Preview, { facet: string }>) {
  const known = values.filter((value) => value !== null)
  return (
    <div class="notice">
      <p class="notice-title">These are several series. Pin “{showText(facet, 60)}”:</p>
      <p class="choices">
        {known.slice(0, MAX_SHOWN).map((value) => (
          <button type="button" key={value} onClick={() => replaceQuery({ [facetPart(facet)]: value })}>
            <Text text={value} max={60} />
          </button>
        ))}
      </p>
    </div>
  )
}

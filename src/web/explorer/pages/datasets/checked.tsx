import type { EiaRow } from '@wattfeed/eia'
import type { ComponentChildren } from 'preact'
import { Text } from '../../ui/text.tsx'

/**
 * Lists the parts of an entry that this page has checked, and those that a command must check.
 *
 * @param rows EIA's newest rows, newest first; empty without a request to EIA
 */
export function Checked({ rows }: { rows: readonly EiaRow[] }) {
  const [newest] = rows
  return (
    <ul class="checked">
      <Point holds>
        The catalog of this server has the dataset, its frequency, its column and its facets.
      </Point>
      <Point holds>The agent can read the entry.</Point>
      {newest === undefined ? (
        <Point>
          Whether EIA has this series, whether it is one series, and which unit its rows state: enter your key
          above, or run <code>feeds check</code>. Until then the entry is <code>unverified</code>, and no
          agent attests it on a public network.
        </Point>
      ) : (
        <>
          <Point holds>
            EIA’s newest {rows.length === 1 ? 'row is' : `${rows.length} rows are`} one series,{' '}
            {newest.statedUnit === null ? (
              'without a unit'
            ) : (
              <>
                in <Text text={newest.statedUnit} max={60} />
              </>
            )}
            , up to <Text text={newest.period} max={40} />.
          </Point>
          <Point>
            Earlier rows: <code>feeds check</code> reads 2,000.
          </Point>
        </>
      )}
      <Point>
        Whether the id is free on the chain, and whether your account may register it and can pay:{' '}
        <code>feeds register --dry-run</code>.
      </Point>
      <Point>
        Whether title, unit and decimals are what you mean. Only you can check this. Once a feed has values,
        changing its unit or decimals changes the meaning of all of them.
      </Point>
    </ul>
  )
}

function Point({ holds = false, children }: { holds?: boolean; children: ComponentChildren }) {
  return (
    <li class={holds ? 'is-good' : undefined}>
      <span aria-hidden="true">{holds ? '✓' : '○'}</span>
      <p>
        <span class="visually-hidden">{holds ? 'Checked:' : 'Not checked:'} </span>
        {children}
      </p>
    </li>
  )
}

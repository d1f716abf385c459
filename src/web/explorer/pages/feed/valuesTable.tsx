import { formatUtc } from '@wattfeed/eia'
import { useMemo } from 'preact/hooks'
import { alignDecimals, columnDecimals } from '../../../cite/columnDecimals.ts'
import { formatAmount } from '../../format/amount.ts'
import { PagedTable } from '../../ui/pagedTable.tsx'
import { Unit } from '../../ui/text.tsx'
import { Period } from '../../ui/time.tsx'
import type { Past } from './past.ts'
import { periodHref } from './periodStory.tsx'

/** The chart names this table as its values in text. */
export const TABLE_ID = 'values-table'

export interface ValuesTableProps {
  past: Past
  /** The period whose prints are shown, or null. */
  period: number | null
  onPick(period: number): void
}

/** The chart's values, newest first. */
export function ValuesTable({ past: { feed, history, rows }, period, onPick }: ValuesTableProps) {
  const pick = (event: MouseEvent, period: number): void => {
    // Other clicks open another tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onPick(period)
  }
  const { decimals } = feed
  const shownDecimals = useMemo(
    () => columnDecimals(rows.map(({ amount }) => ({ amount, decimals }))),
    [rows, decimals],
  )
  return (
    <PagedTable
      id={TABLE_ID}
      rows={rows}
      isLoading={history.count === null}
      columns={[
        { name: 'Period' },
        { name: <Unit text={feed.unit} />, isNumber: true },
        { name: 'Print' },
        { name: 'Attested, UTC' },
      ]}
      cellsOf={(row) => [
        <a
          class="pick"
          href={periodHref(row.period)}
          aria-current={row.period === period}
          onClick={(event) => pick(event, row.period)}
        >
          <Period of={feed} period={row.period} />
        </a>,
        alignDecimals(formatAmount(row.amount, decimals), shownDecimals),
        row.revision === 0 ? 'first' : `rev. ${row.revision}`,
        formatUtc(row.attested_at).replace(' UTC', ''),
      ]}
      keyOf={({ index }) => index}
    />
  )
}

import { formatUtc } from '@wattfeed/eia'
import { useMemo, useState } from 'preact/hooks'
import { alignDecimals, columnDecimals } from '../../../cite/columnDecimals.ts'
import { formatAmount } from '../../format/amount.ts'
import { isOnPaper } from '../../ui/paper.ts'
import { Unit } from '../../ui/text.tsx'
import { Period } from '../../ui/time.tsx'
import type { Past } from './past.ts'
import { periodHref } from './periodStory.tsx'

/** The chart names this table as its values in text. */
export const TABLE_ID = 'values-table'

/** Rows of a page; style/feed.css reserves their height. */
const PAGE = 12

export interface ValuesTableProps {
  past: Past
  /** The period whose prints are shown, or null. */
  period: number | null
  onPick(period: number): void
}

/** The chart's values, newest first: in pages on the screen, all of them on paper. */
export function ValuesTable({ past: { feed, history, rows }, period, onPick }: ValuesTableProps) {
  const [page, setPage] = useState(0)
  const isLong = history.count === null || rows.length > PAGE
  const pages = Math.max(1, Math.ceil(rows.length / PAGE))
  const shown = Math.min(page, pages - 1)
  const end = rows.length - shown * PAGE
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
  const visible = (isOnPaper.value ? rows : rows.slice(Math.max(0, end - PAGE), end)).toReversed()
  return (
    <>
      <div class={isLong ? 'values-box is-long' : 'values-box'}>
        <table class="values" id={TABLE_ID}>
          <caption class="visually-hidden">Values, newest first</caption>
          <colgroup>
            <col />
            <col />
            <col />
            <col />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">Period</th>
              <th scope="col" class="is-number">
                <Unit text={feed.unit} />
              </th>
              <th scope="col">Print</th>
              <th scope="col">Attested, UTC</th>
            </tr>
          </thead>
          <tbody>
            {visible.map((row) => (
              <tr key={row.index}>
                <th scope="row">
                  <a
                    class="pick"
                    href={periodHref(row.period)}
                    aria-current={row.period === period}
                    onClick={(event) => pick(event, row.period)}
                  >
                    <Period of={feed} period={row.period} />
                  </a>
                </th>
                <td class="is-number">{alignDecimals(formatAmount(row.amount, decimals), shownDecimals)}</td>
                <td>{row.revision === 0 ? 'first' : `rev. ${row.revision}`}</td>
                <td>{formatUtc(row.attested_at).replace(' UTC', '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="pager">
        <button type="button" aria-disabled={shown === 0} onClick={() => setPage(Math.max(0, shown - 1))}>
          Newer
        </button>
        <button
          type="button"
          aria-disabled={shown === pages - 1}
          onClick={() => setPage(Math.min(pages - 1, shown + 1))}
        >
          Older
        </button>
        <span role="status">
          page {shown + 1} of {pages.toLocaleString('en')}
        </span>
      </p>
    </>
  )
}

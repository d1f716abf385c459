import { useMemo } from 'preact/hooks'
import type { SeriesHistory } from '../../data/seriesHistory.ts'
import { PagedTable } from '../../ui/pagedTable.tsx'
import { PeriodText } from '../../ui/periodText.tsx'
import { Text, Unit } from '../../ui/text.tsx'
import { valueHref } from '../datasets/choice.ts'

/** The chart names this table as its values in text. */
export const SERIES_TABLE_ID = 'series-table'

/** The values of a series, newest first. Each links to its own proof. */
export function SeriesTable({ shown }: { shown: SeriesHistory }) {
  const { items, is_newest_root } = shown
  const units = useMemo(() => new Set(items.map(({ unit }) => unit)), [items])
  const [only] = units
  const hasOneUnit = units.size === 1 && only != null
  return (
    <section aria-labelledby="values-title" class="series-values">
      <h2 id="values-title">Values</h2>
      <PagedTable
        id={SERIES_TABLE_ID}
        rows={items}
        isLoading={false}
        columns={[
          { name: 'Period' },
          { name: hasOneUnit ? <Unit text={only} /> : 'Value', isNumber: true },
          { name: 'Leaf', isNumber: true },
        ]}
        cellsOf={({ period, value, unit, leaf_index }) => [
          is_newest_root ? (
            <a class="pick" href={valueHref(shown, period)}>
              <PeriodText of={shown} period={period} />
            </a>
          ) : (
            <PeriodText of={shown} period={period} />
          ),
          <>
            {value === null ? <i>withheld</i> : <Text text={value} max={40} />}
            {!hasOneUnit && unit !== null && (
              <>
                {' '}
                <Unit text={unit} />
              </>
            )}
          </>,
          leaf_index.toLocaleString('en'),
        ]}
        keyOf={({ leaf_index }) => leaf_index}
      />
    </section>
  )
}

/** EIA's digits, in groups. */

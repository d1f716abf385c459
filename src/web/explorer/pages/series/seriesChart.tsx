import { useMemo } from 'preact/hooks'
import { numberOf } from '../../../cite/numberOf.ts'
import { Chart, type ChartLine } from '../../chart/chart.tsx'
import { lineOf } from '../../chart/lines.ts'
import type { Range } from '../../chart/range.ts'
import type { SeriesHistory } from '../../data/seriesHistory.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../../format/untrusted.ts'
import { Text } from '../../ui/text.tsx'
import { SeriesValue } from '../datasets/seriesValue.tsx'
import { SERIES_TABLE_ID } from './seriesTable.tsx'

interface SeriesChartProps {
  title: string
  shown: SeriesHistory
  range: Range | null
  onRange(range: Range | null): void
}

/** The values of a series as a chart. */
export function SeriesChart({ title, shown, range, onRange }: SeriesChartProps) {
  const { line, drawn } = useMemo(() => lineOfSeries(title, shown), [title, shown])
  const lines = useMemo(() => [line], [line])
  const { length } = shown.items
  const left = length - drawn
  const values = (count: number): string =>
    `${count.toLocaleString('en')} ${count === 1 ? 'value' : 'values'}`
  return (
    <>
      <Chart
        lines={lines}
        isReady
        range={range}
        onRange={onRange}
        label={`History of ${showText(title, MAX_TITLE)} in ${showText(line.unit, MAX_UNIT)}`}
        detailsId={SERIES_TABLE_ID}
      />
      <p class="reading" role="status">
        {shown.hasEarlier ? 'The newest ' : ''}
        {values(length)}, by period
        {left > 0 && `. ${values(left)} cannot be drawn: withheld by EIA, or in another unit`}
      </p>
    </>
  )
}

/** Returns the line of a series, of the values that are numbers in the unit of the newest one. */
function lineOfSeries(
  title: string,
  { items, attested_at }: SeriesHistory,
): { line: ChartLine; drawn: number } {
  const unit = items.at(-1)?.unit ?? null
  const rows = items
    .filter((item) => item.unit === unit)
    .map((item) => ({ ...item, text: item.value, value: numberOf(item.value) ?? Number.NaN, attested_at }))
  const { rows: points, ...line } = lineOf(rows, false)
  return {
    drawn: points.length,
    line: {
      ...line,
      id: title,
      unit: unit ?? '',
      name: <Text text={title} max={MAX_TITLE} />,
      describe(index) {
        const row = points[index]
        if (row === undefined) return 'no value'
        return `${showText(row.period, 40)}: ${showText(row.text ?? '', 80)} ${showText(unit ?? '', MAX_UNIT)}`
      },
      show(index) {
        const row = points[index]
        if (row === undefined) return 'no value'
        return (
          <>
            <SeriesValue of={{ value: row.text, unit }} /> · <Text text={row.period} max={40} />
          </>
        )
      },
    },
  }
}

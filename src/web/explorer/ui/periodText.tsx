import type { DatasetSeries } from '@wattfeed/dataset'
import { endsOfText } from '@wattfeed/eia'
import { Text } from './text.tsx'

/** A period as EIA writes it, with its ends. */
export function PeriodText({ of, period }: { of: DatasetSeries; period: string }) {
  const { period_start, period_end } = endsOfText(of, period)
  const isPlain = period_start === null || period_end === null || period_start === period
  return (
    <span class="period" title={isPlain ? undefined : `${period_start} to ${period_end}`}>
      <Text text={period} max={40} />
    </span>
  )
}

import type { SeriesBody } from '../../../../api/schemas.ts'
import { numberOf } from '../../../cite/numberOf.ts'
import { Text, Unit } from '../../ui/text.tsx'

/** A value as EIA sent it, which may be withheld. */
export function SeriesValue({ of: { value, unit } }: { of: Pick<SeriesBody, 'value' | 'unit'> }) {
  if (value === null) return <span class="value">withheld by EIA</span>
  return (
    <span class="value">
      <span class="number">
        <Text text={value} max={80} />
      </span>{' '}
      <span class="unit">
        {unit !== null && <Unit text={unit} />}
        {numberOf(value) === null && ' (EIA’s text instead of a number)'}
      </span>
    </span>
  )
}

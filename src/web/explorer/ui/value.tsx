import { useEffect, useRef, useState } from 'preact/hooks'
import { alignDecimals } from '../../cite/columnDecimals.ts'
import { formatAmount } from '../format/amount.ts'
import { Unit } from './text.tsx'

interface Scaled {
  amount: string
  decimals: number
  unit: string
}

interface ValueProps {
  of: Scaled
  /** How many decimals its column shows at least. @default 0 */
  shownDecimals?: number
}

/** An exact value with its unit; it flashes when it changes. */
export function Value({ of: { amount, decimals, unit }, shownDecimals = 0 }: ValueProps) {
  const isChanged = useFlash(`${amount} ${decimals}`)
  // The key replaces the element when the value changes, so that the layout does not shift.
  return (
    <span key={amount} class={isChanged ? 'value is-changed' : 'value'}>
      <span class="number">{alignDecimals(formatAmount(amount, decimals), shownDecimals)}</span>{' '}
      <span class="unit">
        <Unit text={unit} />
      </span>
    </span>
  )
}

const FLASH_MS = 1_500

/** Returns whether `value` changed within the last 1.5 s. */
function useFlash(value: string): boolean {
  const last = useRef(value)
  const [isChanged, setChanged] = useState(false)
  useEffect(() => {
    if (last.current === value) return
    last.current = value
    setChanged(true)
    const timer = setTimeout(() => setChanged(false), FLASH_MS)
    return () => clearTimeout(timer)
  }, [value])
  return isChanged
}

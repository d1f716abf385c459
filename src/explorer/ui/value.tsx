import { useEffect, useRef, useState } from 'preact/hooks'
import { formatAmount } from '../format/amount.ts'
import { Unit } from './text.tsx'

interface Scaled {
  amount: string
  decimals: number
  unit: string
}

/** An exact value with its unit; it flashes when it changes. */
export function Value({ of: { amount, decimals, unit } }: { of: Scaled }) {
  const isChanged = useFlash(`${amount} ${decimals}`)
  // By its key a new value is a new element: it takes the old one's place instead of pushing it aside.
  return (
    <span key={amount} class={isChanged ? 'value is-changed' : 'value'}>
      <span class="number">{formatAmount(amount, decimals)}</span>{' '}
      <span class="unit">
        <Unit text={unit} />
      </span>
    </span>
  )
}

const FLASH_MS = 1_500

/** Whether `value` changed a moment ago. */
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

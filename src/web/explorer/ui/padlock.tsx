import { showText } from '../format/untrusted.ts'
import { Age } from './time.tsx'

/** The result of checking a value in this browser; `old` if its block is old, `partial` if nothing proves that a list is complete. */
export type PadlockState = 'unchecked' | 'checking' | 'checked' | 'old' | 'partial' | 'broken'

const meanings: Readonly<Record<PadlockState, string>> = {
  unchecked: 'not checked in this browser',
  checking: 'being checked in this browser',
  checked: 'checked in this browser',
  old: 'checked in this browser, but its block is old',
  partial: 'each row can be proven by itself, but not that they are all',
  broken: 'the check failed',
}

const MAX_REASON = 80

export interface PadlockProps {
  of: {
    readonly state: PadlockState
    /** Time of the proof's block, in epoch milliseconds; null without a proof. */
    readonly blockTime: number | null
    /** Why the check failed: the broken link of the proof. */
    readonly reason?: string
  }
  /** The feed's page; empty for the current page, and null if it has no address. */
  href: string | null
}

/** The padlock of a value, which links to its check, and the age of the proof's block. */
export function Padlock({ of: { state, blockTime, reason }, href }: PadlockProps) {
  const icon = (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M5 7V5a3 3 0 0 1 6 0v2" fill="none" stroke="currentColor" stroke-width="1.6" />
      <rect x="3" y="7" width="10" height="7" rx="1.5" fill="currentColor" />
    </svg>
  )
  const why = reason === undefined ? '' : ` (${showText(reason, MAX_REASON)})`
  const label = `Proof: ${meanings[state]}${why}`
  return (
    <>
      {href === null ? (
        <span class={`padlock is-${state}`}>{icon}</span>
      ) : (
        <a class={`padlock is-${state}`} href={`${href}#proof`} aria-label={label} title={label}>
          {icon}
        </a>
      )}
      {blockTime !== null && (
        <span class={`padlock-age is-${state}`}>
          <span class="padlock-word">block created </span>
          <Age ms={blockTime} />
        </span>
      )}
    </>
  )
}

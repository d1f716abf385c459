/** What this browser has found out about a value. */
export type PadlockState = 'unchecked' | 'checked' | 'broken'

const meanings: Readonly<Record<PadlockState, string>> = {
  unchecked: 'not checked in this browser',
  checked: 'checked in this browser',
  broken: 'the check failed',
}

/** The padlock of a value, which leads to its check; `href` null where no address can hold the feed. */
export function Padlock({ state, href }: { state: PadlockState; href: string | null }) {
  const icon = (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M5 7V5a3 3 0 0 1 6 0v2" fill="none" stroke="currentColor" stroke-width="1.6" />
      <rect x="3" y="7" width="10" height="7" rx="1.5" fill="currentColor" />
    </svg>
  )
  const label = `Proof: ${meanings[state]}`
  if (href === null) return <span class={`padlock is-${state}`}>{icon}</span>
  return (
    <a class={`padlock is-${state}`} href={`${href}#proof`} aria-label={label} title={label}>
      {icon}
    </a>
  )
}

import { useState } from 'preact/hooks'
import { eiaKey } from '../data/eia.ts'

function forget(): void {
  eiaKey.value = null
}

/** A form for the reader's EIA key, which is only sent to EIA. `purpose` completes "With it, …". */
export function EiaKeyForm({ purpose }: { purpose: string }) {
  const [typed, setTyped] = useState('')
  if (eiaKey.value !== null)
    return (
      <p class="key-note" role="status">
        Your EIA key is in use, in this tab only.{' '}
        <button type="button" onClick={forget}>
          Forget it
        </button>
      </p>
    )
  const submit = (event: Event): void => {
    event.preventDefault()
    const given = typed.trim()
    if (given === '') return
    eiaKey.value = given
    setTyped('')
  }
  return (
    <form class="key-form" onSubmit={submit}>
      <label>
        <span class="label">Your EIA key (optional)</span>
        <input
          type="password"
          value={typed}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby="key-hint"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <button type="submit">Use the key</button>
      <p class="hint" id="key-hint">
        With it, {purpose}. Your browser sends it only to api.eia.gov, and forgets it when you close this tab.{' '}
        <a href="https://www.eia.gov/opendata/register.php" rel="noreferrer">
          Get a free key
        </a>
        .
      </p>
    </form>
  )
}

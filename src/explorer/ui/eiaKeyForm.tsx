import { useState } from 'preact/hooks'
import { eiaKey } from '../data/eia.ts'

function forget(): void {
  eiaKey.value = null
}

/** Asks for the reader's key for EIA's API, which never leaves for any other server. `purpose` ends "With it, …". */
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
        With it, {purpose}. It goes from your browser to api.eia.gov and nowhere else, and is forgotten with
        this tab.{' '}
        <a href="https://www.eia.gov/opendata/register.php" rel="noreferrer">
          A key is free
        </a>
        .
      </p>
    </form>
  )
}

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { TrustFields } from '../../cite/verifyCommand.ts'
import { cleanHash, faultsOf, parseCommand, type Trust } from './trust.ts'

const inputs: readonly [name: keyof TrustFields, label: string, hint: string][] = [
  [
    'blockHash',
    'Trusted block hash',
    'The hash of a switch block (the last block of an era), or of the first block. You can also paste a whole verify command: it fills in all four fields.',
  ],
  ['chainName', 'Chain name', 'Signatures are valid for one chain name.'],
  ['feedRegistry', 'FeedRegistry package hash', 'The contract that describes the feeds.'],
  ['attestationRegistry', 'AttestationRegistry package hash', 'The contract that holds the values.'],
]

export interface TrustFormProps {
  initial: TrustFields
  note?: ComponentChildren
  onTrust: (trust: Trust) => void
}

/** A form for the trusted block and registries. Initial values are trusted only after the reader submits it. */
export function TrustForm({ initial, note, onTrust }: TrustFormProps) {
  const [changed, setChanged] = useState<Partial<TrustFields>>({})
  const fields = { ...initial, ...changed }
  const [isSent, setSent] = useState(false)
  const faults = faultsOf(fields)
  const change = (name: keyof TrustFields, text: string): void => {
    const pasted = parseCommand(text)
    const isCommand = Object.keys(pasted).length > 0
    setChanged({
      ...changed,
      ...(isCommand ? pasted : { [name]: name === 'chainName' ? text.trim() : cleanHash(text) }),
    })
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    setSent(true)
    if (faults.size === 0) onTrust({ ...normalized(fields), checkpoint: null })
  }
  return (
    <form class="trust-form" onSubmit={submit} noValidate>
      {inputs.map(([name, label, hint]) => {
        const fault = isSent ? faults.get(name) : undefined
        return (
          <label key={name}>
            <span class="label">{label}</span>
            <input
              name={name}
              value={fields[name]}
              spellcheck={false}
              autocomplete="off"
              autocapitalize="off"
              aria-invalid={fault !== undefined}
              aria-describedby={`${name}-hint`}
              onInput={({ currentTarget }) => change(name, currentTarget.value)}
            />
            <span class={fault === undefined ? 'hint' : 'hint is-fault'} id={`${name}-hint`}>
              {fault === undefined ? hint : `${fault} ${hint}`}
            </span>
          </label>
        )
      })}
      {note}
      <button type="submit">Trust this and check</button>
    </form>
  )
}

/** Returns the fields alone, with hashes in lower case. */
const normalized = ({
  blockHash,
  chainName,
  feedRegistry,
  attestationRegistry,
}: TrustFields): TrustFields => ({
  blockHash: blockHash.toLowerCase(),
  chainName,
  feedRegistry: feedRegistry.toLowerCase(),
  attestationRegistry: attestationRegistry.toLowerCase(),
})

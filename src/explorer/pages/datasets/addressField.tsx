import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useTextDraft } from '../../address.ts'
import { Text } from '../../ui/text.tsx'

export interface AddressFieldProps {
  /** The part of the address that holds what is typed. */
  part: string
  /** What it holds now. */
  value: string
  label: string
  hint: ComponentChildren
  /** What is wrong, in place of the hint. */
  fault?: string | undefined
  /** What counts while nothing is typed. */
  placeholder?: string
  isNumber?: boolean
  /** What may be picked: those that fit what is typed. */
  options?: ComponentChildren
  onFocus?: () => void
  class?: string
}

/** A field whose text the address holds a moment later: browsers count how often it is written. */
export function AddressField({
  part,
  value,
  label,
  hint,
  fault,
  isNumber = false,
  ...props
}: AddressFieldProps) {
  const id = useId()
  const [typed, setTyped] = useTextDraft(part, value)
  return (
    <div class={`field ${props.class ?? ''}`}>
      <label class="label" for={id}>
        <Text text={label} max={60} />
      </label>
      <input
        id={id}
        value={typed}
        placeholder={props.placeholder}
        list={`${id}-options`}
        inputMode={isNumber ? 'numeric' : 'text'}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-hint`}
        onFocus={props.onFocus}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <datalist id={`${id}-options`}>{props.options}</datalist>
      <span class={fault === undefined ? 'hint' : 'hint is-fault'} id={`${id}-hint`}>
        {fault ?? hint}
      </span>
    </div>
  )
}

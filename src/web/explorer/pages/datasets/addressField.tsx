import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useTextDraft } from '../../address.ts'
import { Text } from '../../ui/text.tsx'

export interface AddressFieldProps {
  /** The query parameter that holds the text. */
  part: string
  value: string
  label: string
  hint: ComponentChildren
  /** An error, shown instead of the hint. */
  fault?: string | undefined
  placeholder?: string
  isNumber?: boolean
  /** Suggestions that match the text. */
  options?: ComponentChildren
  /** Shown below the hint. */
  after?: ComponentChildren
  onFocus?: () => void
  class?: string
}

/** A text field that is stored in the address. */
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
      {props.after}
    </div>
  )
}

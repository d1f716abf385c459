export interface SearchFieldProps {
  label: string
  placeholder: string
  value: string
  onChange(words: string): void
  /** Selects the first result. */
  onEnter?(): void
}

export function SearchField({ label, placeholder, value, onChange, onEnter }: SearchFieldProps) {
  return (
    <label>
      <span class="label">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onKeyDown={({ key }) => key === 'Enter' && onEnter?.()}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  )
}

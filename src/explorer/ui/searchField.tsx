export interface SearchFieldProps {
  label: string
  placeholder: string
  value: string
  onChange(words: string): void
}

/** A field for words to search for. */
export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  return (
    <label>
      <span class="label">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  )
}

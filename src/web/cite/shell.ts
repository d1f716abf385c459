/** Quotes a word for a shell if needed, because a stranger's link may contain any text. Escapes invisible characters. */
export function shellQuoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (/^[ -~]*$/.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`
  const bytes = [...new TextEncoder().encode(word)]
  const escaped = bytes.map((byte) =>
    // Printable ASCII, but neither a quote nor a backslash.
    byte >= 32 && byte < 127 && byte !== 39 && byte !== 92
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  return `$'${escaped.join('')}'`
}

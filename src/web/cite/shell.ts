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

const WORD = /\$'((?:[^'\\]|\\x[\da-f]{2})*)'|'((?:[^']|'\\'')*)'|[^\s\\]+/g

/** Splits a command into words, and undoes {@link shellQuoted}. A quote within a word is an apostrophe of a text around the command. */
export const shellWords = (command: string): string[] =>
  Array.from(command.matchAll(WORD), ([word, escaped, quoted]) =>
    escaped === undefined ? (quoted?.replaceAll(`'\\''`, "'") ?? word) : unescaped(escaped),
  )

function unescaped(text: string): string {
  const bytes = Array.from(text.matchAll(/\\x(..)|./gs), ([char, hex]) =>
    hex === undefined ? char.charCodeAt(0) : Number.parseInt(hex, 16),
  )
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes))
}

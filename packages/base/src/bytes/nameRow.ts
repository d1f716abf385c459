/** Maximum length of a text of a row in an error. */
const MAX_LENGTH = 80

/**
 * Names a row of a listing in an error: `the row at offset 5 (period "2026-11-20", series "RWTC")`. Texts are JSON, because anything may be
 * in them; a long one is cut.
 *
 * @param offset - how many rows are before it
 * @param members - what it has, by name; what it lacks is undefined
 */
export function nameRow(
  offset: number,
  members: readonly (readonly [name: string, value: unknown])[],
): string {
  const shown = members
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${JSON.stringify(value).slice(0, MAX_LENGTH)}`)
  return `the row at offset ${offset} (${shown.join(', ') || 'without any of its members'})`
}

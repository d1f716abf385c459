/** A value that {@link formatToml} can format. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable
export interface TomlTable {
  readonly [name: string]: TomlValue
}

/** Formats a table as TOML. Names must be bare keys: letters, digits, `_` and `-`. A list of tables becomes a list of sections. */
export function formatToml(table: TomlTable): string {
  return `${sections(table, []).join('\n\n')}\n`
}

function sections(table: TomlTable, path: readonly string[], header = `[${path.join('.')}]`): string[] {
  const entries = Object.entries(table)
  const lines = entries.flatMap(([name, value]) =>
    isSimple(value) ? [`${name} = ${formatSimple(value)}`] : [],
  )
  const needsHeader = path.length > 0 && (lines.length > 0 || header.startsWith('[['))
  const own = [...(needsHeader ? [header] : []), ...lines]
  const inner = entries.flatMap(([name, value]) => {
    const place = [...path, name]
    if (isTableList(value)) return value.flatMap((each) => sections(each, place, `[[${place.join('.')}]]`))
    return isTable(value) ? sections(value, place) : []
  })
  return [...(own.length > 0 ? [own.join('\n')] : []), ...inner]
}

export const isTable = (value: TomlValue): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value)

const isTableList = (value: TomlValue): value is readonly TomlTable[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTable)

const isSimple = (value: TomlValue): boolean => !isTable(value) && !isTableList(value)

/** The escapes of JSON are escapes of TOML. */
const formatSimple = (value: TomlValue): string =>
  Array.isArray(value) ? `[${value.map(formatSimple).join(', ')}]` : JSON.stringify(value)

import type { Column, ColumnType } from './column.ts'

/** @see https://www.w3.org/TR/tabular-data-model/#link-header */
export const CSVW_TYPE = 'application/csvm+json'

/** @see https://www.w3.org/TR/tabular-metadata/#datatypes */
const datatypes: Record<ColumnType, string | object> = {
  integer: 'integer',
  number: 'double',
  digits: 'integer',
  figure: 'string',
  time: 'dateTime',
  date: 'date',
  hash: { base: 'string', minLength: 32, maxLength: 64 },
  text: 'string',
}

/**
 * Returns the CSVW metadata of a table: its columns, their types and units.
 *
 * @see https://www.w3.org/TR/tabular-metadata/
 */
export function csvwOf<Name extends string>({
  columns,
  url,
  about,
  details,
}: {
  columns: readonly Column<Name>[]
  /** URL of the CSV, absolute or relative to that of the metadata. */
  url: string
  /** Dublin Core terms of the table, such as `title` and `source`. */
  about: Readonly<Record<string, string>>
  /** Additional properties of columns. */
  details?: Partial<Record<Name, object>>
}): object {
  return {
    '@context': ['http://www.w3.org/ns/csvw', { '@language': 'en' }],
    url,
    ...Object.fromEntries(Object.entries(about).map(([term, text]) => [`dc:${term}`, text])),
    dialect: { header: true, encoding: 'utf-8', lineTerminators: ['\r\n'] },
    tableSchema: {
      columns: columns.map(({ name, type, description }) => ({
        name,
        titles: name,
        'dc:description': description,
        datatype: datatypes[type],
        ...details?.[name],
      })),
    },
  }
}

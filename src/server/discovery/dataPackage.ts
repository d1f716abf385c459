import type { Column, ColumnType } from '../../tables/column.ts'
import { feedsColumns, historyColumns } from '../../tables/columns.ts'
import { type DescribedFeed, describeCatalog, EIA, pathsOf } from '../pages/describeFeed.ts'
import { SITE_NAME } from '../pages/explorerPages.ts'

/** @see https://datapackage.org/standard/table-schema/#field-types */
const fieldTypes: Record<ColumnType, object> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  digits: { type: 'integer' },
  figure: { type: 'string' },
  time: { type: 'datetime', format: 'any' },
  date: { type: 'date' },
  hash: { type: 'string', constraints: { pattern: '^([0-9a-f]{32}){1,2}$' } },
  text: { type: 'string' },
}

const FORMAT = { type: 'table', format: 'csv', mediatype: 'text/csv', encoding: 'utf-8' }

/**
 * Returns the Data Package of all feeds: the table of their newest values, and the history of each.
 *
 * @see https://datapackage.org/standard/data-package/
 */
export function createDataPackage(
  feeds: readonly DescribedFeed[],
  origin: string,
  isPublicChain: boolean,
): object {
  const nameOf = createNames()
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: SITE_NAME,
    title: SITE_NAME,
    description: describeCatalog(isPublicChain),
    homepage: `${origin}/`,
    keywords: ['energy', 'statistics', 'United States'],
    ...(feeds.some(({ isFromEia }) => isFromEia) && { sources: [{ title: EIA.name, path: EIA.url }] }),
    resources: [
      {
        ...FORMAT,
        name: nameOf('feeds'),
        title: 'The newest value of every feed',
        path: `${origin}/v1/feeds.csv`,
        schema: { fields: feedsColumns.map((column) => fieldOf(column)), primaryKey: ['feed_id'] },
      },
      ...feeds.map((feed) => resourceOf(feed, nameOf(feed.id), origin)),
    ],
  }
}

const resourceOf = (feed: DescribedFeed, name: string, origin: string) => ({
  ...FORMAT,
  name,
  title: feed.title,
  description: feed.description,
  path: origin + pathsOf(feed.id).csv,
  ...(feed.isFromEia && {
    sources: [{ title: EIA.name, path: feed.sourceUrl ?? EIA.url }],
    licenses: [{ name: 'other-pd', title: 'Public domain', path: EIA.license }],
  }),
  schema: {
    fields: historyColumns(feed.frequency).map((column) =>
      fieldOf(column, column.name === 'value' ? { unit: feed.unit } : {}),
    ),
    primaryKey: ['index'],
  },
})

const fieldOf = ({ name, type, description }: Column, details = {}) => ({
  name,
  ...fieldTypes[type],
  description,
  ...details,
})

/**
 * Returns a function that makes unique names of lower-case letters, digits and `._-`. It remembers the last number of each name,
 * because strangers may register thousands of ids that differ only in other characters.
 */
function createNames(): (id: string) => string {
  const taken = new Set<string>()
  const lastNumbers = new Map<string, number>()
  return (id) => {
    const base = id.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')
    let name = base
    let number = lastNumbers.get(base) ?? 1
    while (taken.has(name)) {
      number += 1
      name = `${base}-${number}`
    }
    lastNumbers.set(base, number)
    taken.add(name)
    return name
  }
}

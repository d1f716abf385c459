import type { Dataset } from '@wattfeed/eia/catalog'

const LINE_WIDTH = 110

/**
 * Returns the catalog's JSON in the layout of the repository's formatter, which therefore leaves it unchanged.
 *
 * @example
 * ```ts
 * import { datasets } from '../../packages/eia/src/catalog/datasets.ts'
 * import { formatCatalog } from './formatCatalog.ts'
 *
 * formatCatalog(datasets) === (await Bun.file('packages/eia/src/catalog/datasets.json').text()) // true
 * ```
 */
export function formatCatalog(datasets: readonly Dataset[]): string {
  const objects = datasets.map((dataset) => {
    const fields = Object.entries(dataset).map(([name, value]) => formatField(name, value))
    return `  {\n${fields.join(',\n')}\n  }`
  })
  return `[\n${objects.join(',\n')}\n]\n`
}

function formatField(name: string, value: unknown): string {
  const start = `    ${JSON.stringify(name)}: `
  if (!Array.isArray(value)) return start + JSON.stringify(value)
  const items = value.map((item) => JSON.stringify(item))
  const line = `${start}[${items.join(', ')}]`
  // The comma after an array counts towards its line.
  return line.length < LINE_WIDTH ? line : `${start}[\n      ${items.join(',\n      ')}\n    ]`
}

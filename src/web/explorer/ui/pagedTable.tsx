import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isOnPaper } from './paper.ts'

/** Rows of a page; style/feed.css reserves their height. */
const PAGE = 12

export interface PagedTableProps<Row> {
  /** For links to it. */
  id: string
  /** Oldest first. */
  rows: readonly Row[]
  /** Whether more rows may come, so that room is kept for a whole page. */
  isLoading: boolean
  columns: readonly { name: ComponentChildren; isNumber?: boolean }[]
  /** The cells of a row; the first one names it. */
  cellsOf(row: Row): readonly ComponentChildren[]
  keyOf(row: Row): string | number
}

/** Values in a table, newest first: in pages on the screen, all of them on paper. */
export function PagedTable<Row>({ id, rows, isLoading, columns, cellsOf, keyOf }: PagedTableProps<Row>) {
  const [page, setPage] = useState(0)
  const isLong = isLoading || rows.length > PAGE
  const pages = Math.max(1, Math.ceil(rows.length / PAGE))
  const shown = Math.min(page, pages - 1)
  const end = rows.length - shown * PAGE
  const visible = (isOnPaper.value ? rows : rows.slice(Math.max(0, end - PAGE), end)).toReversed()
  const classOf = (column: number): string | undefined =>
    columns[column]?.isNumber ? 'is-number' : undefined
  return (
    <>
      <div class={isLong ? 'values-box is-long' : 'values-box'}>
        <table class="values" id={id}>
          <caption class="visually-hidden">Values, newest first</caption>
          <colgroup>
            {columns.map((_, column) => (
              <col key={column} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {columns.map(({ name }, column) => (
                <th key={column} scope="col" class={classOf(column)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.map((row) => {
              const [name, ...cells] = cellsOf(row)
              return (
                <tr key={keyOf(row)}>
                  <th scope="row">{name}</th>
                  {cells.map((cell, column) => (
                    <td key={column} class={classOf(column + 1)}>
                      {cell}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <p class="pager">
        <button type="button" aria-disabled={shown === 0} onClick={() => setPage(Math.max(0, shown - 1))}>
          Newer
        </button>
        <button
          type="button"
          aria-disabled={shown === pages - 1}
          onClick={() => setPage(Math.min(pages - 1, shown + 1))}
        >
          Older
        </button>
        <span role="status">
          page {shown + 1} of {pages.toLocaleString('en')}
        </span>
      </p>
    </>
  )
}

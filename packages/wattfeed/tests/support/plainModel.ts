import type { IntegerQuery } from '../../src/history/historyQuery.ts'
import type { Attestation } from '../../src/registry/attestation.ts'

/** A row of the model. */
export type ModelRow = Attestation & { index: number; revision: number }

/** All rows of a history. Each is computed from all attestations before it. */
export const modelRows = (history: readonly Attestation[]): ModelRow[] =>
  history.map((attestation, index) => {
    const prints = history.slice(0, index + 1).filter(({ period }) => period === attestation.period)
    const changes = prints.filter((print, at) => at > 0 && prints[at - 1]?.amount !== print.amount)
    return { ...attestation, index, revision: changes.length }
  })

/** Every row that a query selects, without its limit. */
export function modelSelection(history: readonly Attestation[], query: IntegerQuery): ModelRow[] {
  const { from = 0, to = history.length, after, order = 'asc', as_of = Number.MAX_VALUE } = query
  const { period_from = 0, period_to = Number.MAX_VALUE } = query
  const kind = query.vintages ?? (query.as_of === undefined ? 'all' : 'latest')
  const key = (row: ModelRow): number => (kind === 'all' ? row.index : row.period)
  const inPrefix = modelRows(history).filter(({ index, timestamp }) => index < to && timestamp <= as_of)
  const wanted = inPrefix.filter((row) => {
    const ofPeriod = inPrefix.filter(({ period }) => period === row.period)
    return kind === 'all' || row === (kind === 'first' ? ofPeriod[0] : ofPeriod.at(-1))
  })
  const rows = wanted.filter(
    ({ index, period }) => index >= from && period >= period_from && period <= period_to,
  )
  rows.sort((one, other) => (order === 'asc' ? 1 : -1) * (key(one) - key(other)))
  return rows.filter((row) => after === undefined || (order === 'asc' ? key(row) > after : key(row) < after))
}

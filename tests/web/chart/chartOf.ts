import { formatDay } from '@wattfeed/eia'
import type { ChartContent, ChartLook, ChartPoint } from '../../../src/web/chart/drawChart.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 0, 5)

export const pointAt = (day: number, value: string): ChartPoint => ({
  at: START_MS + day * DAY_MS,
  value,
  period: formatDay(START_MS + day * DAY_MS),
})

const days = [0, 1, 2, 3, 4, 7, 8, 20, 21]
const points = days.map((day) => pointAt(day, `${60 + day}.5`))

/** A chart of nine days with one gap, with `changes`. */
export const chartOf = (changes: Partial<ChartContent> = {}): ChartContent => ({
  title: 'WTI',
  unit: '$/bbl',
  points,
  newest: pointAt(21, '81.5'),
  maxStepMs: 5 * DAY_MS,
  isStepped: false,
  caption: null,
  ...changes,
})

export const look: ChartLook = { theme: 'light', width: 640, height: 300 }

import type { SchemaOptions } from '@sinclair/typebox'
import { DAY_MS } from '@wattfeed/base'
import { textOf } from './textTypes.ts'

const ruleOf = (zone: string): string =>
  `epoch milliseconds (12 or 13 digits), a date like 2026-11-20 (the whole day in UTC), or a time with its zone like 2026-11-20T15:00:00Z${zone}`

/** A time, which is read as epoch milliseconds. */
export const moment = (options: SchemaOptions = {}) => textOf(ruleOf(''), readMoment, options)

/** The same as a parameter of a URL. */
export const momentParameter = (description: string) =>
  textOf(ruleOf(' (%2B for the + of an offset)'), readMoment, {
    description: `${description}: epoch milliseconds (12 or 13 digits), a time with a zone, or a date (the end of that day in UTC).`,
  })

/** Returns epoch milliseconds; undefined if the text breaks the rule. */
function readMoment(text: string): number | undefined {
  // Seconds have fewer digits, microseconds more.
  if (/^\d{12,13}$/.test(text)) return Number(text)
  const [, date = '', time] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const day = new Date(`${date}T00:00:00Z`)
  // Parsers accept 30 February as a day in March.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) return undefined
  const ms = time === undefined ? day.getTime() + DAY_MS - 1 : Date.parse(text)
  return ms >= 0 ? ms : undefined
}

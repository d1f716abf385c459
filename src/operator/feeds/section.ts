import { Type } from '@sinclair/typebox'
import { type Command, Option } from 'commander'
import { option } from '../../runtime/settings/option.ts'
import type { JsonOption } from '../program.ts'

/** The part of a long list that a command shows. */
export interface Section {
  offset: number
  limit: number
}

export type SectionOptions = JsonOption & Section

/** Adds the options of a section to a command. */
export const withSection = (command: Command): Command =>
  command
    .addOption(
      new Option('--limit <count>', 'maximum number of results')
        .argParser(option(Type.Integer({ minimum: 1, maximum: 10_000 })))
        .default(20),
    )
    .addOption(
      new Option('--offset <count>', 'number of results to skip')
        .argParser(option(Type.Integer({ minimum: 0, maximum: 999_999 })))
        .default(0),
    )

export const sectionOf = <T>(all: readonly T[], { offset, limit }: Section): readonly T[] =>
  all.slice(offset, offset + limit)

/** Returns the fields of a report that say which part of all results it has. */
export const sectionFields = (all: readonly unknown[], { offset, limit }: Section) => ({
  total: all.length,
  offset,
  more: Math.max(0, all.length - offset - limit),
})

export function formatSection(
  total: number,
  { offset, limit }: Section,
  one: string,
  several = `${one}s`,
): string {
  const end = Math.min(total, offset + limit)
  const what = total === 1 ? one : several
  if (total === 0) return `no ${one} matches`
  if (offset >= total) return `there are only ${total} ${what}; use an --offset below ${total}`
  if (offset === 0 && end === total) return `${total} ${what}`
  const more = end < total ? `; ${total - end} more with --offset ${end}` : ''
  return `${offset + 1} to ${end} of ${total} ${what}${more}`
}

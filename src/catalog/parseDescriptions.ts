import { frequencies } from './frequencies.ts'
import type { Entry } from './parseEntries.ts'
import type { Report, TsvRow } from './parseTsv.ts'

/** Columns of `descriptions.tsv`. */
export const DESCRIPTION_COLUMNS = ['route', 'description'] as const

const SHORTEST = 60
const LONGEST = 220

/** The descriptions by route. */
export function parseDescriptions(
  rows: readonly TsvRow<(typeof DESCRIPTION_COLUMNS)[number]>[],
  entries: ReadonlyMap<string, Entry>,
  report: Report,
): Map<string, string> {
  const descriptions = new Map<string, string>()
  const lineByText = new Map<string, number>()
  for (const { line, fields } of rows) {
    const { route, description } = fields
    const entry = entries.get(route)
    if (entry === undefined) {
      report(
        line,
        'route',
        `route ${JSON.stringify(route)} is not in catalog.tsv; correct it or remove the line`,
      )
    } else {
      checkHowOften(description, entry, line, report)
    }
    checkSentence(description, line, report)

    if (descriptions.has(route))
      report(line, 'unique', 'describes its route again; remove one of the two lines')
    const sameText = lineByText.get(description)
    if (sameText !== undefined) {
      report(line, 'unique', `repeats the description of line ${sameText}; say what sets the datasets apart`)
    }
    descriptions.set(route, description)
    lineByText.set(description, line)
  }
  return descriptions
}

function checkSentence(text: string, line: number, report: Report): void {
  if (text.length < SHORTEST || text.length > LONGEST) {
    report(line, 'length', `description has ${text.length} characters; write ${SHORTEST} to ${LONGEST}`)
  }
  // A stop before a space counts as the end of a sentence, in "U.S. coal" as well.
  if (!/^[A-Z]/.test(text) || !/[^.!?]\.$/.test(text) || /[.!?]\s/.test(text)) {
    const remedy = 'begin with a capital, end with a period and have none before ("US", not "U.S.")'
    report(line, 'sentence', `description is not one sentence; ${remedy}`)
  }
}

function checkHowOften(text: string, { dataset }: Entry, line: number, report: Report): void {
  // A title, which says nothing about how often.
  const prose = text.replaceAll('Annual Energy Outlook', '')
  for (const [frequency, { words }] of frequencies) {
    const offered = dataset.frequencies.includes(frequency)
    if (offered && !words.test(prose)) {
      report(line, 'how-often', `description does not say that the dataset is ${frequency}; add it`)
    }
    if (!offered && words.test(prose)) {
      report(line, 'how-often', `description says ${frequency}, which the dataset is not; leave it out`)
    }
  }
}

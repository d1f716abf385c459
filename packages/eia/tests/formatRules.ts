import { releaseRules } from '../src/calendarRules.ts'

const code = (text: string): string => `\`${text}\``

const formatDuration = (hours: number): string => (hours < 48 ? `${hours} h` : `${hours / 24} d`)

/** Formats the table of docs/status.md: every present rule and its past forms. */
export function formatRules(): string {
  const rows = releaseRules.flatMap(({ rule, routes, facets = {}, frequencies, graceHours, eras }) =>
    eras.map(({ validFrom, says, basis, partial = '', exceptions = {} }) => {
      const pinned = Object.entries(facets).map(([facet, value]) => ` with ${code(`${facet}=${value}`)}`)
      const otherwise = Object.entries(exceptions).map(([period, times]) => `${period} came ${times.at(-1)}.`)
      return [
        code(rule),
        `${routes.map(code).join(', ')}${pinned.join('')}`,
        frequencies.join(', '),
        says,
        formatDuration(graceHours),
        validFrom,
        basis,
        [partial, ...otherwise].filter((text) => text !== '').join(' '),
      ]
    }),
  )
  const head = ['rule', 'routes', 'frequency', 'release', 'grace', 'valid from', 'basis', 'what is missing']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { palettes } from '../../../src/web/chart/theme.ts'

const tokens = readFileSync('src/web/site/tokens.css', 'utf8')

/** The variables of the first rule after a text. */
function variablesAfter(start: string): Record<string, string> {
  const [rule = ''] = tokens.slice(tokens.indexOf(start)).split('}')
  return Object.fromEntries(
    [...rule.matchAll(/--([a-z-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]),
  )
}

test.each([
  ['light', ':root'],
  ['dark', '@media screen and (prefers-color-scheme: dark)'],
] as const)('default: the %s colors are those of the pages', (theme, start) => {
  expect(variablesAfter(start)).toMatchObject(palettes[theme])
})

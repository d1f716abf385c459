import { describe, expect, test } from 'bun:test'
import { parseSync } from 'oxc-parser'
import { listMutants, withMutant } from '../../scripts/mutants/listMutants.ts'
import { parseLcov, testsOf } from '../../scripts/mutants/reach.ts'

const mutated = (text: string): string[] =>
  listMutants('a.ts', text).map((mutant) => withMutant(text, mutant))

describe('listMutants', () => {
  test.each([
    ['a === b', ['a !== b']],
    ['a < b', ['a <= b']],
    ['f(1)', ['f((1 + 1))']],
    ['f(7n)', ['f((7n + 1n))']],
    ['f(true)', ['f(false)']],
    ['if (a) f()', ['if (!(a)) f()']],
    ['f(a ? b : c)', ['f(!(a) ? b : c)']],
    ['function f() { return a }', ['function f() { return undefined }']],
    ['const f = () => a', ['const f = () => (undefined)']],
    ['a ?? b', ['a && b']],
  ])('default: %s', (text, expected) => {
    expect(mutated(text)).toEqual(expected)
  })

  test.each([
    'type A = 1',
    'const a: 1 = b',
    "import a from './a.ts'",
    'f({ 1: a })',
    'interface A { a: true }',
    'f<1>()',
  ])('behavior: %s has none, because nothing of it is computed', (text) => {
    expect(mutated(text)).toEqual([])
  })

  test('behavior: those of a source of the repository can be parsed', async () => {
    const path = 'packages/casper/src/consensus/finality.ts'
    const text = await Bun.file(new URL(`../../${path}`, import.meta.url)).text()
    const mutants = listMutants(path, text)
    expect(mutants.length).toBeGreaterThan(20)
    for (const mutant of mutants) expect(parseSync(path, withMutant(text, mutant)).errors).toEqual([])
  })
})

test('parseLcov > default: the lines of the sources that ran', () => {
  const record = (file: string) => `TN:\nSF:${file}\nDA:1,3\nDA:2,0\nDA:5,1\nend_of_record\n`
  expect(parseLcov(`${record('src/a.ts')}${record('packages/eia/src/b.ts')}${record('tests/c.ts')}`)).toEqual(
    {
      'src/a.ts': [1, 5],
      'packages/eia/src/b.ts': [1, 5],
    },
  )
})

test('testsOf > default: those that run a line, the cheapest first', () => {
  const reach = [
    { test: 'dear', ms: 9, lines: { a: [1] } },
    { test: 'other', ms: 1, lines: { a: [2] } },
    { test: 'cheap', ms: 1, lines: { a: [1, 2], b: [1] } },
  ]
  expect(testsOf(reach, 'a', 1).map(({ test }) => test)).toEqual(['cheap', 'dear'])
})

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { executablePath, hasPython, openPython } from './python.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The first mutant of each range, as pytest names it: after the prefix of the file with the ranges. */
const rangesOf = (prefix: string): string[] =>
  readFileSync(`${root}/fixtures/verify/${prefix}digests.tsv`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => `${prefix}-${line.split('\t')[0]}`)
const ranges = [...rangesOf(''), ...rangesOf('series-'), ...rangesOf('range-')]

// A range takes some seconds.
describe.skipIf(!hasPython)(
  'the verifier in Python, on 100,000 mutants, 10,000 of series and 10,000 of ranges, or on the first 2,500',
  () => {
    test.each(IS_SOAK ? ranges : ranges.slice(0, 1))(
      'behavior: its verdicts are those of the other verifier: %s',
      async (range) => {
        await using python = await openPython()
        const name = `tests/verify/test_mutants.py::test_digest_of_the_verdicts_is_that_of_the_other_verifier[${range}]`
        const { exitCode, stdout, stderr } = await python.shell(
          `cd "${root}/clients/python"; ALL_MUTANTS=1 "${executablePath}" -m pytest -q -o pythonpath=src '${name}'`,
        )
        expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
        expect(stdout).toContain('1 passed')
      },
    )
  },
)

import { expect, test } from 'bun:test'
import { WattfeedError } from '@wattfeed/base'
import { errorAnswer } from '../../src/server/errorAnswer.ts'

class CodedError extends WattfeedError {
  readonly retryable = false
  constructor(readonly code: string) {
    super('it failed')
  }
}

const statusOf = (code: string): number => errorAnswer(new CodedError(code)).status

test('default: each code has the status that docs/errors.md lists', async () => {
  const text = await Bun.file(new URL('../../docs/errors.md', import.meta.url)).text()
  const [library = '', rest = ''] = text.split('\n## HTTP\n')
  const [http = ''] = rest.split('\n## ')
  const listed = [...http.matchAll(/^\| `(\w+)` \| .*? \| (\d{3}) \|/gm)].map(
    ([, code = '', status]) => [code, Number(status)] as const,
  )
  const exceptions = new Map(
    [...http.matchAll(/`(\w+)` (?:is )?an? (\d{3})/g)].map(([, code = '', status]) => [code, Number(status)]),
  )
  const above = [...library.matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, code = '']) => [code, exceptions.get(code) ?? 502] as const,
  )
  expect(Math.min(listed.length, above.length)).toBeGreaterThan(15)
  const all = [...above, ...listed]
  expect(all.map(([code]) => [code, statusOf(code)])).toEqual(all.map(([code, status]) => [code, status]))
})

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { WattfeedError } from '@wattfeed/base'
import { errorAnswer } from '../../src/server/errorAnswer.ts'
import { defineHttpError } from '../../src/server/http/httpError.ts'
import { HistoryFillingError } from '../../src/server/readers/historyWalks.ts'

const root = join(import.meta.dir, '../..')

class CodedError extends WattfeedError {
  readonly retryable = false
  constructor(readonly code: string) {
    super('it failed')
  }
}

/** The status of each code that an error of the server states. */
async function readOwnStatuses(): Promise<Map<string, number>> {
  const files = [...new Bun.Glob('src/server/**/*.ts').scanSync(root)]
  const texts = await Promise.all(files.map((file) => Bun.file(join(root, file)).text()))
  const found = texts.flatMap((text) => [
    ...text.matchAll(/= defineHttpError\(\s*'\w+',\s*'(\w+)',.*?\bstatus: (\d{3})\b/gs),
    ...text.matchAll(
      / extends HttpError \{.*?readonly code = '(\w+)'.*?get status\(\) \{\s*return (\d{3})\n/gs,
    ),
  ])
  return new Map(found.map(([, code = '', status]) => [code, Number(status)]))
}

test('default: each code has the status that docs/errors.md lists', async () => {
  const text = await Bun.file(join(root, 'docs/errors.md')).text()
  const own = await readOwnStatuses()
  const statusOf = (code: string): number => own.get(code) ?? errorAnswer(new CodedError(code)).status
  const [library = '', rest = ''] = text.split('\n## HTTP\n')
  const [http = ''] = rest.split('\n## ')
  const listed = [...http.matchAll(/^\| `(\w+)` \| .*? \| (\d{3}) \|/gm)].map(
    ([, code = '', status]) => [code, Number(status)] as const,
  )
  // A sentence, such as `history_too_large` and `http_files` 503.
  const exceptions = new Map(
    [...http.matchAll(/(`\w+`(?:(?:, | and )`\w+`)*) (\d{3})/g)].flatMap(([, codes = '', status]) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => [code, Number(status)] as const),
    ),
  )
  const above = [...library.matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, code = '']) => [code, exceptions.get(code) ?? 502] as const,
  )
  expect(Math.min(listed.length, above.length, own.size)).toBeGreaterThan(15)
  expect(exceptions.size).toBe(11)
  const all = [...above, ...listed, ...exceptions]
  expect(all.map(([code]) => [code, statusOf(code)])).toEqual(all.map(([code, status]) => [code, status]))
  // An error of the server states its status, so the table has none of them.
  const both = [...own.keys()].filter((code) => errorAnswer(new CodedError(code)).status !== 502)
  expect(both).toEqual([])
})

describe('an error of the server', () => {
  const LostError = defineHttpError('LostError', 'lost', ({ id }: { id: string }) => `${id} is lost`, {
    status: 410,
    headers: ({ id }) => ({ 'x-lost': id }),
    body: ({ id }) => ({ id }),
    retryable: true,
  })

  test('default: its status, headers and body are the ones that it states', () => {
    const error = new LostError({ id: 'a' })
    const { status, headers, body } = errorAnswer(error)
    const ofHeaders = ['x-lost', 'x-wattfeed-error', 'retry-after'].map((name) => headers[name])
    expect([status, ...ofHeaders, JSON.stringify(body)]).toEqual([
      410,
      'a',
      'lost',
      '4',
      '{"error":"a is lost","id":"a"}',
    ])
    // They are no facts of it, as in a log.
    expect(Object.keys(error)).toEqual(expect.not.arrayContaining(['status', 'headers', 'body']))
  })

  test.each([
    [1, '1'],
    [3_001, '4'],
    [600_000, '30'],
  ])('behavior: a wait of %d ms is a Retry-After of %s', (retryAfterMs, seconds) => {
    const error = new HistoryFillingError({ feedId: 'A', known: 1, needed: 2, retryAfterMs })
    expect(errorAnswer(error).headers['retry-after']).toBe(seconds)
  })
})

import { describe, expect, test } from 'bun:test'
import { deadNodeUrl } from '@wattfeed/testing/deadNodeUrl'
import { errorOf } from '@wattfeed/testing/errorOf'
import { spellings } from '@wattfeed/testing/secrets'
import { EiaError } from '../src/eiaErrors.ts'
import { apiKey, clientOf, wti } from './support/eiaClientOf.ts'
import { answerWith, type UpstreamFault } from './support/eiaServer.ts'
import { startFixtureEia } from './support/fixtureEia.ts'
import { cutOff, endlessBody, hang, hangInBody, throttled } from './support/upstreamFaults.ts'

const route = wti.route
const data = (rows: string) => answerWith(`{"response":{"total":"1","data":${rows}}}`)
const errorBody = (error: unknown, more: object = {}) => JSON.stringify({ error, ...more })

/** Every form in which the key may appear in a text. */
const echoes = [apiKey, encodeURIComponent(apiKey), String(new URLSearchParams({ k: apiKey })).slice(2)]
const echo = `https://api.eia.gov/v2/x?api_key=${echoes.join(' or ')}`

const refusals: [string, UpstreamFault, object][] = [
  ['an empty body', answerWith(''), { code: 'eia_empty_body', status: 200, retryable: true }],
  ['a body of white space', answerWith(' \n'), { code: 'eia_empty_body', status: 200, retryable: true }],
  [
    'brackets only',
    answerWith('['.repeat(5_000_000)),
    { code: 'eia_not_json', status: 200, retryable: true },
  ],
  [
    'a body that is not in its encoding',
    answerWith('{}', { headers: { 'content-encoding': 'br' } }),
    { code: 'eia_not_json', status: 200, retryable: true },
  ],
  ['no JSON', answerWith('{"response":{"data":['), { code: 'eia_not_json', status: 200, retryable: true }],
  [
    'JSON that is nested too deep',
    answerWith('['.repeat(10 ** 6) + ']'.repeat(10 ** 6)),
    { code: 'eia_not_json', status: 200, retryable: true },
  ],
  [
    'a web page',
    answerWith(`<!DOCTYPE html><html>${echo}</html>`, { headers: { 'content-type': 'text/html' } }),
    { code: 'eia_html', status: 200, retryable: true },
  ],
  [
    'a web page that says it is JSON',
    answerWith(' <html>'),
    { code: 'eia_html', status: 200, retryable: true },
  ],
  [
    'a web page that does not look like one',
    answerWith('busy', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    { code: 'eia_html', status: 200, retryable: true },
  ],
  [
    'an error as an object',
    answerWith(errorBody({ code: 'API_KEY_INVALID', message: `An invalid api_key ${echo}` }), {
      status: 403,
    }),
    { code: 'eia_key', status: 403, eiaCode: 'API_KEY_INVALID', retryable: false },
  ],
  [
    'an error as a text',
    answerWith(errorBody(`Invalid data ${echo}`, { code: 400 }), { status: 400 }),
    { code: 'eia_error', status: 400, eiaCode: '400', retryable: false },
  ],
  [
    'an error at HTTP 200',
    answerWith(
      errorBody('Invalid frequency', { code: 400, response: { data: [{ period: '1', value: '2' }] } }),
    ),
    { code: 'eia_error', status: 200, eiaCode: '400', eiaMessage: 'Invalid frequency', retryable: false },
  ],
  [
    'an error without a code, and an empty one',
    answerWith(errorBody('')),
    { code: 'eia_error', status: 200, eiaCode: null, eiaMessage: '', retryable: false },
  ],
  [
    'an error of another shape',
    answerWith(errorBody({ reason: ['busy', echo] }), { status: 502 }),
    { code: 'eia_error', status: 502, eiaCode: null, retryable: true },
  ],
  [
    'status and code that disagree: the code counts',
    answerWith(errorBody('Not found.', { code: 404 }), { status: 500 }),
    { code: 'eia_error', status: 500, eiaCode: '404', eiaMessage: 'Not found.', retryable: false },
  ],
  ['throttled three times', throttled('0'), { code: 'throttled', status: 429, retryAfterMs: 0 }],
  ['HTTP 500', answerWith('oops', { status: 500 }), { code: 'eia_status', status: 500, retryable: true }],
  [
    'HTTP 503 without a body',
    answerWith('', { status: 503 }),
    { code: 'eia_status', status: 503, retryable: true },
  ],
  [
    'HTTP 502 with a web page',
    answerWith('<html>Bad Gateway</html>', { status: 502, headers: { 'content-type': 'text/html' } }),
    { code: 'eia_status', status: 502, retryable: true },
  ],
  ['HTTP 404', answerWith('{}', { status: 404 }), { code: 'eia_status', status: 404, retryable: false }],
  [
    'a redirect',
    answerWith('', { status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } }),
    { code: 'eia_status', status: 302, retryable: false },
  ],
  [
    'no rows',
    answerWith('{"response":{"total":"0","data":[]}}'),
    { code: 'eia_no_rows', status: 200, retryable: false },
  ],
  ['fewer rows than its total', data('[]'), { code: 'eia_incomplete', status: 200, retryable: true }],
  [
    'a missing column',
    data('[{"period":"2026","price":"1"}]'),
    { code: 'eia_missing_column', status: 200, column: 'value', retryable: false },
  ],
  [
    'a column missing in the second row',
    data('[{"period":"2026","series":"RWTC","value":"1"},{"period":"2025","series":"RWTC"}]'),
    { code: 'eia_missing_column', status: 200, column: 'value', retryable: false },
  ],
  [
    'a column that is a list',
    data('[{"period":"2026","value":[]}]'),
    { code: 'eia_unexpected', retryable: false },
  ],
  [
    'a row without a period',
    data('[{"value":"1"}]'),
    { code: 'eia_unexpected', missing: 'a period in a row' },
  ],
  ['a row that is none', data('[null]'), { code: 'eia_unexpected', missing: 'a period in a row' }],
  ['JSON that is not EIA’s', answerWith('[]'), { code: 'eia_unexpected', missing: 'response.data' }],
  ['JSON null', answerWith('null'), { code: 'eia_unexpected', missing: 'response.data' }],
  [
    'an announced body of 5 MiB and a byte',
    answerWith(' '.repeat(5 * 2 ** 20 + 1)),
    { code: 'eia_too_large', status: 200, maxBytes: 5 * 2 ** 20, retryable: false },
  ],
  [
    'an endless body',
    endlessBody,
    { code: 'eia_too_large', status: 200, maxBytes: 5 * 2 ** 20, retryable: false },
  ],
  // Whether the status arrived before is random.
  ['a body that is cut off', cutOff, { code: 'eia_unreachable', reason: 'ECONNRESET', retryable: true }],
]

const hanging: [string, UpstreamFault, object][] = [
  ['no answer', hang, { code: 'eia_timeout', status: null, timeoutMs: 500, retryable: true }],
  ['half an answer', hangInBody, { code: 'eia_timeout', status: 200, timeoutMs: 500, retryable: true }],
]

/** The client's error for an upstream with this fault, checked for the key. */
async function refusalOf(fault: UpstreamFault, timeoutMs = 30_000): Promise<EiaError> {
  await using upstream = startFixtureEia()
  upstream.fail(fault, { times: 3 })
  const error = await errorOf(clientOf({ baseUrl: upstream.url, timeoutMs }).listNewestRows(wti))
  if (!(error instanceof EiaError)) throw error
  for (const spelling of echoes) expect(spellings(error)).not.toContain(spelling)
  expect(error.cause).toBeUndefined()
  return error
}

describe('refusals', () => {
  test.each(refusals)('error: %s', async (_, fault, facts) => {
    expect({ ...(await refusalOf(fault)) }).toMatchObject({ route, ...facts })
  })

  test('error: a body that is not JSON is named, with what to do', async () => {
    const bodies = [answerWith(''), answerWith('busy'), answerWith('<html>')]
    const messages = []
    for (const body of bodies) messages.push((await refusalOf(body)).message)
    expect(messages).toEqual([
      `EIA ${route}: expected JSON but got an empty body (HTTP 200); retry later`,
      `EIA ${route}: expected JSON but got another body (HTTP 200); retry later or check EIA_BASE_URL`,
      `EIA ${route}: expected JSON but got a web page (HTTP 200); retry later or check EIA_BASE_URL`,
    ])
  })

  test.each(hanging)('error: %s in time', async (_, fault, facts) => {
    expect({ ...(await refusalOf(fault, 500)) }).toMatchObject({ route, ...facts })
  })

  test('error: nothing listens at the address', async () => {
    const baseUrl = (await deadNodeUrl()).replace('/rpc', '')
    const error = await errorOf(clientOf({ baseUrl }).listNewestRows(wti))
    expect({ ...error }).toMatchObject({ code: 'eia_unreachable', route, status: null, retryable: true })
    expect(spellings(error)).toContain('ECONNREFUSED')
    for (const spelling of echoes) expect(spellings(error)).not.toContain(spelling)
  })

  test('error: a fetch that heeds no signal still times out', async () => {
    const client = clientOf({
      baseUrl: 'http://eia.invalid',
      timeoutMs: 1,
      fetch: () => new Promise(() => {}),
    })
    expect(await errorOf(client.listNewestRows(wti))).toMatchObject({ code: 'eia_timeout', timeoutMs: 1 })
  })

  test('error: a fetch whose error holds the URL, and so the key', async () => {
    for (const thrown of [new Error('ignored'), 'a text', null]) {
      const fetch = (url: string) =>
        Promise.reject(
          thrown instanceof Error ? Object.assign(new TypeError(url), { code: url, path: url }) : thrown,
        )
      const error = await errorOf(clientOf({ baseUrl: 'http://eia.invalid', fetch }).listNewestRows(wti))
      expect({ ...error }).toMatchObject({ code: 'eia_unreachable', reason: null })
      for (const spelling of echoes) expect(spellings(error)).not.toContain(spelling)
    }
  })

  test('error: an announced body that is too large is not waited for', async () => {
    const body = new ReadableStream({ pull: () => new Promise(() => {}) })
    const headers = { 'content-length': String(5 * 2 ** 20 + 1) }
    const fetch = async () => new Response(body, { headers })
    const error = await errorOf(clientOf({ baseUrl: 'http://eia.invalid', fetch }).listNewestRows(wti))
    expect({ ...error }).toMatchObject({ code: 'eia_too_large', status: 200 })
  })

  test('behavior: a body of exactly 5 MiB is read', async () => {
    const json = '{"response":{"data":[{"period":"2026","series":"RWTC","value":"1"}]}}'
    await using upstream = startFixtureEia()
    upstream.fail(answerWith(json.padEnd(5 * 2 ** 20)))
    expect(await clientOf({ baseUrl: upstream.url }).listNewestRows(wti)).toHaveLength(1)
  })

  test('behavior: a long message of EIA is cut, and a key across the cut is redacted', async () => {
    for (const length of [480, 490, 495, 600]) {
      const message = 'x'.repeat(length) + echo
      const { message: words } = await refusalOf(answerWith(errorBody({ code: message, message })))
      expect(words.length).toBeLessThan(1200)
      expect(words).not.toContain('S3cr')
    }
  })

  test('error: an object without a message whose names hold the key', async () => {
    const { message } = await refusalOf(answerWith(errorBody({ [apiKey]: { [apiKey]: 'is wrong' } })))
    expect(message).toBe('EIA petroleum/pri/spt: {"[api_key]":{"[api_key]":"is wrong"}} (HTTP 200)')
  })

  test('behavior: `error: null` is none', async () => {
    await using upstream = startFixtureEia()
    const rows = '[{"period":"2026","series":"RWTC","value":"1"}]'
    upstream.fail(answerWith(`{"error":null,"response":{"data":${rows}}}`))
    expect(await clientOf({ baseUrl: upstream.url }).listNewestRows(wti)).toHaveLength(1)
  })

  test('behavior: every message has the place, the fault and the fix', async () => {
    const words = async (fault: UpstreamFault) => (await refusalOf(fault, 5_000)).message
    expect([
      await words(answerWith('')),
      await words(answerWith(errorBody('Not found.', { code: 404 }), { status: 500 })),
      await words(answerWith('', { status: 301 })),
      await words(data('[{"period":"2026"}]')),
    ]).toEqual([
      'EIA petroleum/pri/spt: expected JSON but got an empty body (HTTP 200); retry later',
      'EIA petroleum/pri/spt: Not found. (HTTP 500, code 404)',
      "EIA petroleum/pri/spt: HTTP 301: redirects are not followed, because they would leak the key; set EIA_BASE_URL to the API's address",
      'EIA petroleum/pri/spt: the row of 2026 has no column "value"; check the column',
    ])
  })
})

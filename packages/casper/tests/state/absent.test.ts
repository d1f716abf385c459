import { describe, expect, test } from 'bun:test'
import { readRecording } from '@wattfeed/casper-devnet/testing/recordings'
import { JsonRpcError, TransportError } from '../../src/rpc/jsonRpc.ts'
import { absentAsNull } from '../../src/state/absent.ts'

const recorded = readRecording('errors').flatMap((exchange) =>
  'error' in exchange ? [{ note: exchange.note ?? '', ...exchange.error }] : [],
)

describe('absentAsNull', () => {
  test('default: of all that a node answers with, only absence is null', () => {
    const meansAbsent = recorded
      .filter(({ code, message, data }) => {
        const error = new JsonRpcError(code, message, typeof data === 'string' ? data : JSON.stringify(data))
        try {
          return absentAsNull(error) === null
        } catch (thrown) {
          expect(thrown).toBe(error)
          return false
        }
      })
      .map(({ note }) => note)
    expect(meansAbsent).toEqual([
      'absent dictionary item',
      'unknown seed uref',
      'item key too long',
      'unknown package',
    ])
  })

  test('behavior: an older wording of absence is null too', () => {
    expect(absentAsNull(new JsonRpcError(-32003, 'state query failed: ValueNotFound("…")', ''))).toBeNull()
  })

  const others: Error[] = [
    new JsonRpcError(-32003, 'Query failed', 'the trie store is corrupt'),
    new JsonRpcError(-32012, 'No such state root', 'could not find the provided state root hash: not found'),
    new JsonRpcError(-32603, 'Internal error', 'value was not found in the global state'),
    new TransportError('HTTP 404: not found', 404),
    new Error('Query failed: value was not found'),
  ]
  test.each(others.map((error) => [error.message, error] as const))(
    'error: "%s" is thrown again',
    (_, error) => {
      expect(() => absentAsNull(error)).toThrow(error)
    },
  )
})

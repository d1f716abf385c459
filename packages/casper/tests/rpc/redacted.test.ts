import { describe, expect, test } from 'bun:test'
import { DecodeError } from '@wattfeed/base'
import { redacted } from '../../src/rpc/layers.ts'
import { parseNode } from '../../src/rpc/node.ts'

const node = parseNode('https://a/rpc?key=s3cret')
const outcome = (work: () => Promise<unknown>) => redacted(node, work).catch((error: unknown) => error)

describe('redacted', () => {
  test('default: a value is left as it is', async () => {
    expect(await outcome(async () => 's3cret')).toBe('s3cret')
  })

  test('error: every text of an error is redacted, the stack included', async () => {
    const error = await outcome(() => Promise.reject(new DecodeError('Thing', 'it is s3cret')))
    expect(error).toBeInstanceOf(DecodeError)
    expect(error).toMatchObject({
      message: 'cannot decode Thing: it is [redacted]',
      rule: 'it is [redacted]',
      stack: expect.not.stringContaining('s3cret'),
    })
  })

  test('error: something thrown that is no Error becomes one', async () => {
    expect(await outcome(() => Promise.reject('s3cret'))).toEqual(new Error('[redacted]'))
  })
})

import { describe, expect, test } from 'bun:test'
import { DecodeError, WattfeedError } from '@wattfeed/base'
import { JsonRpcError, TransportError } from '../../src/rpc/jsonRpc.ts'
import { AllNodesFailedError, DeadlineError, isRetryable, retryAfterMs } from '../../src/rpc/rpcErrors.ts'

const failedWith = (...errors: Error[]): AllNodesFailedError =>
  new AllNodesFailedError(
    'query_global_state',
    errors.map((error, index) => ({ host: `node${index}:80`, error })),
  )

const slowDown = (waitMs: number): TransportError => new TransportError('HTTP 429', 429, waitMs)

describe('AllNodesFailedError', () => {
  test('default: lists the failure of each node', () => {
    const error = failedWith(new TransportError('HTTP 500', 500), new JsonRpcError(-32012, 'No root', ''))
    expect(error).toBeInstanceOf(WattfeedError)
    expect({ ...error, name: error.name, message: error.message }).toEqual({
      name: 'AllNodesFailedError',
      code: 'all_nodes_failed',
      method: 'query_global_state',
      failures: [
        { host: 'node0:80', error: new TransportError('HTTP 500', 500) },
        { host: 'node1:80', error: new JsonRpcError(-32012, 'No root', '') },
      ],
      retryable: true,
      retryAfterMs: null,
      message: 'query_global_state failed: node0:80: HTTP 500; node1:80: JSON-RPC error -32012: No root',
    })
  })

  test('behavior: can be tried again if one of the failures can', () => {
    const final = new JsonRpcError(-32602, 'Invalid params', '')
    expect(failedWith(final, new Error('bug')).retryable).toBeFalse()
    expect(failedWith(final, new DecodeError('Feed', 'text is not UTF-8')).retryable).toBeTrue()
  })

  test('behavior: nodes that all ask for a pause ask for the shortest', () => {
    expect(failedWith(slowDown(5_000), slowDown(2_000)).retryAfterMs).toBe(2_000)
    expect(failedWith(slowDown(0)).retryAfterMs).toBe(0)
    expect(failedWith(slowDown(5_000), new TransportError('HTTP 500', 500)).retryAfterMs).toBeNull()
  })
})

describe('DeadlineError', () => {
  test('default', () => {
    const error = new DeadlineError(10_000, 'node:80: HTTP 500')
    expect({ ...error, name: error.name, message: error.message }).toEqual({
      name: 'DeadlineError',
      code: 'deadline',
      retryable: true,
      deadlineMs: 10_000,
      lastFailure: 'node:80: HTTP 500',
      message: 'no answer within 10000 ms; node:80: HTTP 500; try again later',
    })
    expect(new DeadlineError(10_000, null).message).toBe('no answer within 10000 ms; try again later')
  })
})

describe('isRetryable', () => {
  test('default', () => {
    const errors = [new TransportError('x'), new TransportError('x', 403), new Error('x'), null]
    expect(errors.map(isRetryable)).toEqual([true, false, false, false])
  })
})

describe('retryAfterMs', () => {
  test('default', () => {
    const errors = [slowDown(7), failedWith(slowDown(7)), new TransportError('x'), new Error('x'), null]
    expect(errors.map(retryAfterMs)).toEqual([7, 7, null, null, null])
  })
})

import { describe, expect, test } from 'bun:test'
import { AllNodesFailedError, ChainNameMismatchError } from 'wattfeed'
import { createFakeClient, type FakeChain, fetchedAt } from '../fakeClient.ts'
import { answerOf, ask, createTestApp, TestChainError } from '../testApp.ts'

const allHold = { node: true, chain: true, feed_registry: true, attestation_registry: true, fresh: true }
const status = { block_age_ms: null, undecodable: 0 }
const unmeasured = { root_age_ms: null, rpc_ms: null, feeds: null, ...status }

/** A clock that advances by 10 ms with each read, and a chain. */
const readyOf = (chain: FakeChain) => {
  let time = fetchedAt - 10
  const now = () => {
    time += 10
    return time
  }
  return answerOf(createTestApp({ client: createFakeClient(chain), now, freshForMs: 1_000 }), '/ready')
}

const fails = (error: Error) => () => Promise.reject(error)

describe('GET /ready', () => {
  test('default: all checks pass', async () => {
    expect(await readyOf({})).toEqual({
      status: 200,
      body: {
        ready: true,
        checks: allHold,
        measured: { root_age_ms: 41, rpc_ms: 10, feeds: 1, ...status },
        verification: null,
      },
    })
  })

  test('behavior: fields are in the order of the interface', async () => {
    const { body } = await readyOf({})
    expect([Object.keys(body), Object.keys(body.checks), Object.keys(body.measured)]).toEqual([
      ['ready', 'checks', 'measured', 'verification'],
      ['node', 'chain', 'feed_registry', 'attestation_registry', 'fresh'],
      ['root_age_ms', 'rpc_ms', 'feeds', 'block_age_ms', 'undecodable'],
    ])
  })

  test('error: every node serves another chain', async () => {
    const mismatch = new ChainNameMismatchError('casper-test', 'casper')
    const failed = new AllNodesFailedError('chain_get_state_root_hash', [{ host: 'a', error: mismatch }])
    expect((await readyOf({ snapshot: fails(failed) })).body.checks).toEqual({
      node: true,
      chain: false,
      feed_registry: false,
      attestation_registry: false,
      fresh: false,
    })
  })

  test('error: no node answers: whether they are of the chain is unknown', async () => {
    expect(await readyOf({ snapshot: fails(new TestChainError('all_nodes_failed', true)) })).toEqual({
      status: 503,
      body: {
        ready: false,
        checks: {
          node: false,
          chain: null,
          feed_registry: false,
          attestation_registry: false,
          fresh: false,
        },
        measured: unmeasured,
        verification: null,
      },
    })
  })

  test('error: nodes of another chain answer', async () => {
    expect(await readyOf({ snapshot: fails(new TestChainError('chain_name_mismatch')) })).toEqual({
      status: 503,
      body: {
        ready: false,
        checks: { node: true, chain: false, feed_registry: false, attestation_registry: false, fresh: false },
        measured: unmeasured,
        verification: null,
      },
    })
  })

  test('error: nodes of another chain answer once the root is known', async () => {
    const feedCount = fails(new TestChainError('chain_name_mismatch'))
    const { status, body } = await readyOf({ feedCount })
    expect({ status, checks: body.checks }).toEqual({
      status: 503,
      checks: { ...allHold, chain: false, feed_registry: false },
    })
  })

  test('error: the FeedRegistry is missing', async () => {
    const feedCount = fails(new TestChainError('package_not_found'))
    expect(await readyOf({ feedCount })).toEqual({
      status: 503,
      body: {
        ready: false,
        checks: { ...allHold, feed_registry: false },
        measured: { root_age_ms: 41, rpc_ms: 10, feeds: null, ...status },
        verification: null,
      },
    })
  })

  test('error: the AttestationRegistry is missing', async () => {
    const totalAttestations = fails(new TestChainError('package_not_found'))
    expect(await readyOf({ totalAttestations })).toEqual({
      status: 503,
      body: {
        ready: false,
        checks: { ...allHold, attestation_registry: false },
        measured: { root_age_ms: 41, rpc_ms: 10, feeds: 1, ...status },
        verification: null,
      },
    })
  })

  test('behavior: fresh up to the given age and not beyond', async () => {
    const fresh = await readyOf({ ageMs: 1_000 })
    const stale = await readyOf({ ageMs: 1_001 })
    expect([fresh.status, fresh.body.measured.root_age_ms, fresh.body.checks]).toEqual([200, 1_000, allHold])
    expect([stale.status, stale.body.measured.root_age_ms, stale.body.checks]).toEqual([
      503,
      1_001,
      { ...allHold, fresh: false },
    ])
  })

  test('behavior: the last known age of the newest block, even if nothing can be read', async () => {
    const block = { height: 7, hash: 'ab'.repeat(32), timestamp: fetchedAt - 5_000 }
    const status = () => ({ block, protocolVersion: null, feeds: 43, undecodable: 2, absenceShownBy: null })
    const snapshot = fails(new TestChainError('x'))
    expect((await readyOf({ status })).body.measured).toMatchObject({ block_age_ms: 5_020, undecodable: 2 })
    expect((await readyOf({ status, snapshot })).body.measured).toMatchObject({
      block_age_ms: 5_010,
      undecodable: 2,
    })
  })

  test('behavior: not ready has a Retry-After', async () => {
    const client = createFakeClient({ snapshot: fails(new TestChainError('x')) })
    const response = await ask(createTestApp({ client }), '/ready')
    expect(response.headers.get('retry-after')).toBe('4')
  })
})

import { beforeAll, describe, expect, test } from 'bun:test'
import {
  type CommitteeServerOptions,
  startCommitteeServer,
} from '../../../../src/agent/committee/http/committeeServer.ts'
import { type CreatePeersOptions, createPeers } from '../../../../src/agent/committee/http/createPeers.ts'
import type { FixedTerms } from '../../../../src/agent/committee/http/messages.ts'
import type { Refusal } from '../../../../src/agent/committee/refusal.ts'
import type { Signer } from '../../../../src/casper/transaction/signer.ts'
import { testSigner } from '../../support/keys.ts'

const TIME = Date.parse('2026-11-20T12:00:00Z')
const refusal: Refusal = { code: 'not_released', detail: 'EIA has no such period' }

let alice: Signer
let bob: Signer

beforeAll(async () => {
  alice = await testSigner()
  bob = await testSigner('secp256k1')
})

const transaction = (approvals: number) => ({
  Version1: {
    hash: 'ab'.repeat(32),
    payload: { any: 1 },
    approvals: Array.from({ length: approvals }, () => ({ signer: alice.publicKey, signature: '01' })),
  },
})

describe('startCommitteeServer', () => {
  test('default', async () => {
    const terms: FixedTerms = {
      member: bob.keyHash,
      version: '0.1.0',
      account: bob.accountHash,
      chain_name: 'casper-net-1',
      feed_registry_package_hash: 'aa'.repeat(32),
      attestation_registry_package_hash: 'bb'.repeat(32),
      look_back: 0,
      catch_up: 100,
      max_values: 5,
      payment_motes: '1',
      payment_many_motes: '2',
      slot_ms: 30_000,
      lifetime_ms: 120_000,
    }
    const received: unknown[] = []
    await using server = startCommitteeServer({
      listen: { host: '127.0.0.1', port: 0 },
      member: {
        async receive(transaction) {
          received.push(transaction)
          return refusal
        },
        async announced(feedId) {
          received.push(feedId)
        },
      },
      senders: [{ publicKey: alice.publicKey, accountHash: alice.keyHash }],
      terms,
      newestBlock: () => ({ height: 7, time: TIME }),
      now: () => TIME,
      log: { warn: (...each) => console.error(each) },
    })
    const address = `http://127.0.0.1:${server.port}`
    const peers = createPeers({
      peers: [{ accountHash: bob.keyHash, publicKey: bob.publicKey, name: 'bob', address }],
      signer: alice,
      chainTime: () => TIME,
      fetch,
      onCall: (call) => console.log(call),
    })
    expect(await peers.send(bob.keyHash, transaction(1))).toEqual(refusal)
    expect(received).toEqual([transaction(1)])
    expect(await (await fetch(`${address}/v1/terms`)).json()).toEqual({
      ...terms,
      clock: TIME,
      block: { height: 7, time: TIME },
    })
    console.log(await (await fetch(`${address}/v1/terms2`)).json())
    const big = await fetch(`${address}/v1/proposals`, { method: 'POST', body: 'x'.repeat(70_000) })
    console.log(big.status, await big.text())
    const un = await fetch(`${address}/v1/proposals`, { method: 'POST', body: 'x'.repeat(70) })
    console.log(un.status, await un.text())
  })
})

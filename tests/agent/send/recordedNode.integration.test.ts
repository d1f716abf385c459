import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { createGlobalState, createRpc } from '@wattfeed/casper'
import { readRecordedBlocks } from '@wattfeed/casper/testing/recordedBlocks'
import { createTransaction, loadSdk, type Signer } from '@wattfeed/casper/transaction'
import { type AnswerRpc, queryFailed, startDevnet } from '@wattfeed/casper-devnet'
import {
  accounts,
  answerRecorded,
  createRecordedRegistries,
  exchangeOf,
  transactions,
} from '@wattfeed/casper-devnet/testing/recordings'
import type { PutBehavior } from '@wattfeed/casper-devnet/testing/scriptedNode'
import { odraItemKey, string } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryContract } from '../../../packages/wattfeed/src/registry/registryContract.ts'
import { createOutbox } from '../../../src/agent/send/createOutbox.ts'
import { createAttestationStore } from '../../../src/agent/state/attestationStore.ts'
import { stateOf } from '../../../src/agent/state/openState.ts'
import { createState } from '../../support/state.ts'
import { attestationOf, createOutboxBench, POLL_MS, START, TTL_MS } from './outboxBench.ts'

const chain = createRecordedRegistries()
const recorded = memberAt(exchangeOf(transactions, 'attest accepted').params, 'transaction', 'Version1')
const feedId = 'EIA.NUC.OUTAGE.US_PCT.DAILY'

/** Who sent the recorded transactions, with the signature of the one that was accepted instead of a key. */
async function recordedSigner(): Promise<Signer> {
  const sdk = await loadSdk()
  const [{ signer, signature }] = Object(recorded).approvals
  const publicKey = sdk.PublicKey.fromHex(signer)
  const accountHash = publicKey.accountHash().toPrefixedString()
  return {
    publicKey: signer,
    keyHash: accountHash,
    accountHash,
    initiator: signer,
    sign(request) {
      const transaction = createTransaction(sdk, request)
      transaction.setSignature(Buffer.from(signature, 'hex'), publicKey)
      return transaction
    },
    approve: () => ({ signer, signature }),
  }
}

/** The recorded node, whose state is the one after the recorded transaction: before it, the feed has no value. */
function recordedNode(): { answer: AnswerRpc; put: () => unknown } {
  const others = answerRecorded([...transactions, ...accounts])
  let put: unknown = null
  const answer: AnswerRpc = (method, params) => {
    if (method === 'account_put_transaction') put = memberAt(params, 'transaction')
    if (method === 'chain_get_block')
      return { result: { block_with_signatures: readRecordedBlocks('blocks')[0] ?? null } }
    // The balance was recorded without a block.
    if (method === 'query_balance')
      return others(method, { purse_identifier: memberAt(params, 'purse_identifier') })
    if (/transaction|account_info/.test(method)) return others(method, params)
    // Without a block: the transaction was stamped by a clock.
    if (method === 'info_get_status') return { result: { chainspec_name: chain.chainName } }
    if (method === 'chain_get_state_root_hash') return { result: { state_root_hash: chain.stateRootHash } }
    const key = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
    if (key === odraItemKey(2, string(feedId)) && put === null && isValue(params)) return queryFailed
    return chain.answer(method, params)
  }
  return { answer, put: () => put }
}

/** Of the AttestationRegistry: the FeedRegistry's item of the feed has the same key. */
const isValue = (params: unknown): boolean =>
  memberAt(params, 'dictionary_identifier', 'URef', 'seed_uref') ===
  'uref-c7708494311597bcee27dde1035523a5ff1f4c6c589475ece7609bbf28a3fae3-007'

describe('the recorded network', () => {
  test('default: the sent transaction equals the recorded one byte for byte, and its result is read', async () => {
    const node = recordedNode()
    await using endpoint = await startDevnet({ call: node.answer })
    const rpc = createRpc({
      urls: [endpoint.url],
      chainName: chain.chainName,
      fetch: (url, init) => fetch(url, init),
      timeoutMs: 4_000,
      deadlineMs: 10_000,
      concurrency: 8,
      maxBodyBytes: 10_000_000,
      now: Date.now,
      onCall: () => {},
    })
    const client = clientOf(chain, [endpoint.url])
    const block = { height: 169, time: 0 }
    const signer = await recordedSigner()
    const contract = chain.attestationRegistryPackageHash.replace('hash-', '')
    using opened = createState()
    const state = stateOf(opened.file, { chainName: chain.chainName, contract, account: signer.accountHash })
    const outbox = createOutbox({
      rpc,
      openView: async () => ({ block, at: await client.snapshot(), settled: new Map() }),
      signer,
      chainName: chain.chainName,
      registry: createRegistryContract(createGlobalState(rpc), 'AttestationRegistry', contract, Date.now),
      feedRegistry: chain.feedRegistryPackageHash,
      state,
      store: createAttestationStore(state),
      isFreshChain: true,
      report: () => {},
      paymentMotes: 3_000_000_000n,
      offersMany: false,
      transactionTtlMs: 30 * 60_000,
      now: () => Date.parse(Object(recorded).payload.timestamp) + 2_000,
      wait: async () => {},
    })
    const attestation = { feed_id: feedId, period: 20261119, amount: 41234n, source_hash: 'ab'.repeat(16) }
    const confirmed = await outbox.attest([attestation])
    expect(node.put()).toEqual({ Version1: recorded })
    expect(confirmed).toMatchObject({
      executed: {
        transactionHash: 'eb554fc25956e6cac03c718941dfe5af06c692f7d9657ad5a5904093df444c33',
        blockHash: 'e6f861f478486e382a77376313a0929f20aed8e3751d75aa0d69bae7f1066653',
        blockHeight: 170,
        consumedMotes: 1_422_277_403n,
        chargedMotes: 1_816_708_053n,
      },
      dropped: [],
    })
  })
})

/** Every refusal, and whether no node would ever take the bytes. */
const refusals: [string, string, 'refused' | 'expired'][] = [
  ['payment 0.1 CSPR', 'payment_or_size', 'expired'],
  ['wrong chain name', 'chain_name', 'refused'],
  ['gas price tolerance 0', 'gas_price_tolerance', 'expired'],
  ['ttl too long', 'malformed', 'refused'],
  ['expired', 'expired', 'expired'],
  ['account without funds (secp256k1)', 'no_account', 'expired'],
  ['bad signature', 'approval', 'refused'],
  ['unknown package', 'no_package', 'expired'],
]

function recordedError(note: string): PutBehavior {
  const exchange = exchangeOf(transactions, note)
  if (!('error' in exchange)) throw new Error(`${note} was no refusal`)
  const { code, message, data } = exchange.error
  return { error: { code, message, data: String(data) } }
}

describe('every recorded refusal', () => {
  test('default: these are all', () => {
    const all = transactions.filter((each) => each.method === 'account_put_transaction' && 'error' in each)
    expect(refusals.map(([note]) => note)).toEqual(all.map(({ note }) => note ?? ''))
  })

  test.each(refusals)('error: %s: nothing is attested, charged or pending', async (note, reason) => {
    using bench = await createOutboxBench({ puts: [recordedError(note), 'accept'] })
    const outbox = bench.open()
    const error = await errorOf(outbox.attest([attestationOf(0)]))
    expect(error).toMatchObject({
      code: 'transaction_refused',
      reason,
      transactionHash: bench.chain.sent.at(-1),
    })
    expect(bench.chain.sent).toHaveLength(1)
    expect({ attested: await bench.chain.attested(), pending: bench.pending() }).toEqual({
      attested: [],
      pending: [],
    })
    bench.setNow(START + 1)
    await outbox.attest([attestationOf(0)])
    expect(await bench.chain.attested()).toEqual([attestationOf(0)])
  })

  test.each(refusals)(
    'behavior: %s, after a run that may have been heard: settled',
    async (note, _, outcome) => {
      using bench = await createOutboxBench({ puts: ['forget', recordedError(note)] })
      const stopped = new AbortController()
      const first = bench.open({
        signal: stopped.signal,
        observe: ({ step }) => {
          if (step === 'accepted') stopped.abort(new Error('stopped'))
        },
      })
      await first.attest([attestationOf(0)]).catch(() => null)
      expect(await bench.open().resume()).toMatchObject([{ outcome, chargedMotes: null }])
      expect(bench.now()).toBe(outcome === 'refused' ? START : START + TTL_MS + POLL_MS)
      expect(bench.pending()).toEqual([])
    },
  )
})

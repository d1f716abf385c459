import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { type AnswerRpc, createDevnet } from '@wattfeed/casper-devnet'
import { signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { errorOf } from '@wattfeed/testing/errorOf'
import {
  Args,
  CLValue,
  ContractCallBuilder,
  Deploy,
  KeyAlgorithm,
  PrivateKey,
  Timestamp,
} from 'casper-js-sdk'
import { type DecodeError, type InvalidArgumentError, TransactionNotFoundError } from 'wattfeed'
import { localClient } from '../support/localClient.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../support/registryChain.ts'

const [id, other] = [testFeedId(0), testFeedId(1)]

/** A chain of some blocks, with two more values of the first feed. */
async function createChain(): Promise<RegistryChain> {
  const chain = await createRegistryChain({ feeds: 2 })
  for (let block = 0; block < 30; block++) await chain.advance()
  chain.attest(other, { amount: 7n, period: 20_261_119 })
  chain.attest(id, { amount: 5n, period: 20_261_119 })
  await chain.advance()
  for (let block = 0; block < 5; block++) await chain.advance()
  chain.attest(id, { amount: 6n, period: 20_261_120 })
  await chain.advance()
  return chain
}

const chain = await createChain()

/** A client of a node whose answers to a method are changed. */
function clientWith(method: string, change: (result: unknown, params: unknown) => unknown) {
  const local = localClient(chain)
  const answer: AnswerRpc = async (called, params) => {
    const answered = await chain.answer(called, params)
    const isChanged = called === method && 'result' in answered
    return isChanged ? { result: change(structuredClone(answered.result), params) } : answered
  }
  local.answerWith(answer)
  return local.client
}

/** A client of a node whose blocks have one transaction more, of this kind. */
const clientWithAnother = (kind: string) =>
  clientWith('chain_get_block', (result) => {
    const { body } = Object(memberAt(result, 'block_with_signatures', 'block', 'Version2'))
    body.transactions[9] = [{ [kind]: 'ab'.repeat(32) }]
    return result
  })

/** Replaces every signature in an answer with one of zeros. */
const forged = (result: unknown): unknown =>
  JSON.parse(JSON.stringify(result).replace(/("signature":"0[12])[0-9a-f]{128}/g, `$1${'00'.repeat(64)}`))

/** Attests a value of the first feed with a legacy deploy, as casper-js-sdk makes it. */
async function attestByDeploy(own: RegistryChain, amount: bigint): Promise<Deploy> {
  const [account] = createDevnet({ chainName: own.chainName, seed: 'registries', accounts: 1 }).accounts
  const key = PrivateKey.fromPem(account?.secretKeyPem ?? '', KeyAlgorithm.ED25519)
  const args = Args.fromMap({
    asset_id: CLValue.newCLString(id),
    period: CLValue.newCLUint64(20_261_121),
    amount: CLValue.newCLUInt512(amount),
    source_hash: CLValue.newCLString('ab'.repeat(16)),
  })
  const newest = await own.answer('chain_get_block', {})
  const time = memberAt(newest, 'result', 'block_with_signatures', 'block', 'Version2', 'header', 'timestamp')
  const transaction = new ContractCallBuilder()
    .from(key.publicKey)
    .byPackageHash(own.attestationRegistryPackageHash.slice('hash-'.length))
    .entryPoint('attest')
    .runtimeArgs(args)
    .chainName(own.chainName)
    .timestamp(new Timestamp(new Date(String(time))))
    .payment(5_000_000_000)
    .buildFor1_5()
  transaction.sign(key)
  const deploy = transaction.getDeploy()
  if (deploy === undefined) throw new Error('no deploy was made')
  const sent = await own.answer('account_put_deploy', { deploy: Deploy.toJSON(deploy) })
  if ('error' in sent) throw new Error(JSON.stringify(sent.error))
  await own.advance()
  return deploy
}

describe('getTransaction', () => {
  test('default: block, transaction and signers of each value', async () => {
    const { client, calls } = localClient(chain)
    const account = await client.getClaimant(id)
    const history = await client.getValueHistory(id)
    const found = []
    for (const index of history.keys()) found.push(await client.getTransaction(id, index))
    expect(new Set(found.map((each) => each?.transactionHash)).size).toBe(3)
    for (const [index, each] of found.entries()) {
      expect(each?.block.timestamp).toBe(history[index]?.timestamp ?? 0)
      expect([each?.initiator, each?.isListed]).toEqual([account ?? '', true])
      expect(each?.signers.map(({ accountHash, weight }) => [accountHash, weight])).toEqual([
        [account ?? '', 1],
      ])
    }
    calls.reset()
    await client.getTransaction(id, 1)
    expect(calls.byMethod().chain_get_block).toBeLessThanOrEqual(5)
  })

  test('behavior: null past the end, and for an unknown feed', async () => {
    const { client } = localClient(chain)
    expect([await client.getTransaction(id, 3), await client.getTransaction('EIA.NO.SUCH.FEED', 0)]).toEqual([
      null,
      null,
    ])
  })

  test('behavior: the legacy deploy that attested a value', async () => {
    const own = chain.fork()
    const deploy = await attestByDeploy(own, 123n)
    const { client } = localClient(own)
    const found = await client.getTransaction(id, 3)
    expect(found).toMatchObject({
      transactionHash: deploy.hash.toHex(),
      isListed: true,
      signers: [{ publicKey: deploy.header.account?.toHex() ?? '', weight: 1 }],
    })
    expect(found?.initiator).toBe((await client.getClaimant(id)) ?? '')
  })

  test('behavior: kinds of transactions of a later protocol are skipped', async () => {
    const client = clientWithAnother('Later')
    const found = await client.getTransaction(id, 1)
    expect([found?.isListed, found?.signers.length]).toEqual([false, 1])
  })

  test('behavior: a valid signature of a key that the account does not have weighs nothing', async () => {
    const [stranger] = await signersOf(createDevnet({ seed: 'stranger', accounts: 1 }).accounts)
    const client = clientWith('info_get_transaction', (result) => {
      const { hash, approvals } = Object(memberAt(result, 'transaction', 'Version1'))
      approvals.push(stranger?.approve(hash))
      return result
    })
    const found = await client.getTransaction(id, 1)
    expect(found?.signers.map(({ accountHash, weight }) => [accountHash, weight])).toEqual([
      [found?.initiator ?? '', 1],
      [stranger?.accountHash ?? '', 0],
    ])
  })

  test('behavior: the weight is that of the account at the state root of the block', async () => {
    const roots: unknown[] = []
    const client = clientWith('query_global_state', (result, params) => {
      if (!String(memberAt(params, 'key')).startsWith('account-hash-')) return result
      roots.push(memberAt(params, 'state_identifier', 'StateRootHash'))
      return JSON.parse(JSON.stringify(result).replaceAll('"weight":1', '"weight":7'))
    })
    const found = await client.getTransaction(id, 1)
    expect(found?.signers.map(({ weight }) => weight)).toEqual([7])
    const block = await chain.answer('chain_get_block', { block_identifier: { Hash: found?.block.hash } })
    const header = memberAt(block, 'result', 'block_with_signatures', 'block', 'Version2', 'header')
    expect(roots).toEqual([memberAt(header, 'state_root_hash')])
  })

  test('error: an invalid argument, before any node is called', async () => {
    const { client, calls } = localClient(chain)
    const invalid = [client.getTransaction('\ud800', 0), client.getTransaction(id, -1)]
    const errors = await Promise.all(invalid.map(errorOf))
    expect(errors.map((error) => (error as InvalidArgumentError).argument)).toEqual(['feedId', 'index'])
    expect(calls.total()).toBe(0)
  })

  test('error: a block whose list of transactions is not that of its header', async () => {
    const client = clientWithAnother('Version1')
    const error = await errorOf(client.getTransaction(id, 1))
    expect(JSON.stringify(memberAt(error, 'failures'))).toContain('decode')
  })

  test('error: a signature that is not of the transaction', async () => {
    const client = clientWith('info_get_transaction', forged)
    const error = (await errorOf(client.getTransaction(id, 1))) as DecodeError
    expect([error.code, error.what, error.rule]).toEqual([
      'decode',
      'approvals',
      expect.stringMatching(/^the signature of 0[12][0-9a-f]+ is invalid$/),
    ])
  })

  /** A pool of nodes behind one address, whose answers for a block by its height change in turn. */
  function poolWith(other: (height: number) => ReturnType<AnswerRpc>, isOther: (call: number) => boolean) {
    const local = localClient(chain)
    let calls = 0
    local.answerWith((method, params) => {
      const height = memberAt(params, 'block_identifier', 'Height')
      if (method !== 'chain_get_block' || typeof height !== 'number') return chain.answer(method, params)
      calls += 1
      return isOther(calls) ? other(height) : chain.answer(method, params)
    })
    return local.client
  }

  const others: [name: string, other: (height: number) => ReturnType<AnswerRpc>][] = [
    [
      'another block',
      (height) => chain.answer('chain_get_block', { block_identifier: { Height: Math.max(0, height - 3) } }),
    ],
    ['the newest block', () => chain.answer('chain_get_block', {})],
    [
      'no block yet',
      () => ({
        error: {
          code: -32001,
          message: 'No such block',
          data: { message: 'no block found', available_block_range: { low: 0, high: 5 } },
        },
      }),
    ],
  ]
  test.each(others)(
    'behavior: a pool that answers with %s every second time is asked again',
    async (_, other) => {
      const client = poolWith(other, (call) => call % 2 === 1)
      const found = await client.getTransaction(id, 1)
      expect(found).toEqual(await localClient(chain).client.getTransaction(id, 1))
    },
  )

  test.each(others)('error: a pool that answers with %s every time: its nodes disagree', async (_, other) => {
    const error = await errorOf(poolWith(other, () => true).getTransaction(id, 1))
    expect(error).toMatchObject({ name: 'NodesDisagreeError', code: 'nodes_disagree', retryable: true })
  })

  test('error: nodes that no longer keep a block do not disagree, and are not asked again', async () => {
    let asked = 0
    const data = { message: 'no block found', available_block_range: { low: 1_000, high: 2_000 } }
    const client = poolWith(
      () => {
        asked += 1
        return { error: { code: -32001, message: 'No such block', data } }
      },
      () => true,
    )
    expect(await errorOf(client.getTransaction(id, 1))).toMatchObject({
      code: 'all_nodes_failed',
      retryable: false,
    })
    expect(asked).toBe(1)
  })

  test('behavior: a node whose newest block is before the value is not believed', async () => {
    const older = await chain.answer('chain_get_block', { block_identifier: { Height: 3 } })
    const local = localClient(chain)
    let isBehind = true
    local.answerWith((method, params) => {
      const isNewest = method === 'chain_get_block' && memberAt(params, 'block_identifier') === undefined
      if (!isNewest || !isBehind) return chain.answer(method, params)
      isBehind = false
      return older
    })
    expect(await local.client.getTransaction(id, 1)).not.toBeNull()
  })

  test.each<[name: string, change: (result: unknown) => unknown]>([
    [
      'a transaction with other contents',
      (result) => JSON.parse(JSON.stringify(result).replace(/"payment_amount":\d+/, '"payment_amount":1')),
    ],
    [
      'a transaction that failed',
      (result) =>
        JSON.parse(JSON.stringify(result).replace('"error_message":null', '"error_message":"User error: 1"')),
    ],
    [
      'a transaction whose result has an unknown kind',
      (result) =>
        JSON.parse(
          JSON.stringify(result).replace('"execution_result":{"Version2"', '"execution_result":{"Evm"'),
        ),
    ],
    ['no transaction', () => ({})],
  ])('error: not found: %s', async (_, change) => {
    const client = clientWith('info_get_transaction', change)
    const error = (await errorOf(client.getTransaction(id, 1))) as TransactionNotFoundError
    expect(error.message).toMatch(
      new RegExp(`^${id}: transaction not found: no transaction of block \\d+ attests the value$`),
    )
    expect(error).toBeInstanceOf(TransactionNotFoundError)
  })
})

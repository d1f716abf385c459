import { describe, expect, setSystemTime, test } from 'bun:test'
import { type EntityStateName, entityStates } from '@wattfeed/casper/testing/entityStates'
import { loadSigner, signTransaction } from '@wattfeed/casper/transaction'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { type Attestation, UnsupportedAccountError } from 'wattfeed'
import { verifyLevels } from '../../src/client/verification.ts'
import { attestArguments } from '../../src/registry/calls.ts'
import { attesterKey, createEntityChain, type EntityChainOptions } from '../support/entityChain.ts'
import { type ChainInProcess, localClient } from '../support/localClient.ts'

const WTI = 'EIA.PET.PRICE.WTI.DAILY'
const BRENT = 'EIA.PET.PRICE.BRENT.DAILY'
const [old, fresh] = entityStates.registries

/** A client of a chain whose newest block has this state, and whose registries are the old ones by default. */
function clientAt(
  name: EntityStateName,
  verify: (typeof verifyLevels)[number],
  options: EntityChainOptions & Partial<ChainInProcess> = {},
) {
  const { registries = 'old', endsAt = Date.now(), body, ...changes } = options
  const chain = createEntityChain([name], { registries, endsAt, ...(body && { body }) })
  const full = verify === 'full' ? { trustedBlockHash: chain.genesisHash } : {}
  return localClient({ ...chain, ...changes }, { verify, ...full }).client
}

describe.each(verifyLevels)('a chain that turns addressable entities on, read at %s', (verify) => {
  test.each([
    ['before', 7004n, 1],
    ['switched', 7004n, 1],
    ['called', 7011n, 2],
    ['five keys', 7020n, 3],
  ] as const)('default: %s: the reading and the history', async (name, amount, values) => {
    const client = clientAt(name, verify)
    expect((await client.getReading(WTI))?.amount).toBe(amount)
    expect((await client.getValueHistory(WTI)).length).toBe(values)
    const isRegistered = name !== 'before' && name !== 'switched'
    expect((await client.getReading(BRENT))?.amount ?? null).toBe(isRegistered ? 7410n : null)
    expect(await client.getReading('EIA.NO.SUCH.FEED')).toBeNull()
  })

  test('default: registries that were installed as entities', async () => {
    const client = clientAt('installed', verify, { registries: 'new' })
    expect((await client.listReadings()).map(({ feed_id, amount }) => [feed_id, amount])).toEqual([
      [WTI, 7040n],
    ])
  })

  test('default: the keys of the attester', async () => {
    const authorityAt = async (name: EntityStateName) =>
      (await clientAt(name, verify).getAttester(WTI))?.authority
    expect(await authorityAt('before')).toMatchObject({ minSigners: 1, keys: [{ weight: 1 }] })
    expect(await authorityAt('called')).toMatchObject({ minSigners: 1, keys: [{ weight: 1 }] })
    const five = await authorityAt('five keys')
    expect(five).toMatchObject({ minSigners: 3, thresholds: { deployment: 3, keyManagement: 3 } })
    expect(five?.keys.length).toBe(5)
    expect((await authorityAt('installed'))?.keys.map(({ weight }) => weight)).toEqual([1, 1, 1, 1, 2])
  })

  test('error: swapped package hashes are noticed', async () => {
    const swapped = {
      feedRegistryPackageHash: old?.attestation_registry ?? '',
      attestationRegistryPackageHash: old?.feed_registry ?? '',
    }
    expect(await errorOf(clientAt('called', verify, swapped).getReading(WTI))).toMatchObject({
      code: 'package_not_found',
    })
  })

  test('error: a proof that others can verify', async () => {
    for (const [client, hash] of [
      [clientAt('called', verify), old?.feed_registry],
      [clientAt('installed', verify, { registries: 'new' }), fresh?.feed_registry],
    ] as const)
      expect(await errorOf(client.getFeedProof(WTI))).toEqual(new UnsupportedAccountError(`hash-${hash}`))
  })

  test('default: the transaction that attested a value, and the weights of its keys', async () => {
    const value = (await clientAt('five keys', verify).getValueHistory(WTI)).at(-1)
    if (value === undefined) throw new Error('nothing is recorded')
    const { transaction, hash } = await attestWith(attesterKey, value)
    const body = { transactions: { 3: [{ Version1: hash }] }, rewarded_signatures: [] }
    try {
      setSystemTime(value.timestamp)
      const at = { endsAt: value.timestamp, body }
      const { answer } = createEntityChain(['five keys'], at)
      const client = clientAt('five keys', verify, {
        ...at,
        answer: (method, params) =>
          method === 'info_get_transaction' ? { result: executed(transaction) } : answer(method, params),
      })
      expect(await client.getTransaction(WTI, 2)).toMatchObject({
        transactionHash: hash,
        block: { timestamp: value.timestamp },
        isListed: true,
        initiator: value.attester,
        signers: [{ accountHash: value.attester, weight: 1 }],
      })
    } finally {
      setSystemTime()
    }
  })
})

/** Makes the call that attested a value. The recorded one was no signed transaction. */
async function attestWith(pem: string, { period, amount, source_hash }: Attestation) {
  using folder = createFolder()
  const { signer } = await loadSigner(folder.write('key.pem', pem))
  const signed = await signTransaction(signer, {
    chainName: 'casper-entities',
    target: { packageHash: old?.attestation_registry ?? '', entryPoint: 'attest' },
    args: attestArguments({ feed_id: WTI, period, amount, source_hash }),
    paymentMotes: 2_500_000_000n,
    timestamp: Date.now(),
  })
  return { transaction: signed.transaction, hash: signed.hash }
}

const executed = (transaction: unknown): object => ({
  transaction,
  execution_info: { execution_result: { Version2: { error_message: null } } },
})

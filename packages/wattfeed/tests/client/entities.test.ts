import { describe, expect, test } from 'bun:test'
import {
  answerFrom,
  type EntityStateName,
  entityState,
  entityStates,
} from '@wattfeed/casper/testing/entityStates'
import { createSignedChain, createValidator, hashOf } from '@wattfeed/casper/testing/signedChain'
import { blockNode } from '@wattfeed/casper-devnet/testing/blockNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { UnsupportedAccountError } from 'wattfeed'
import { verifyLevels } from '../../src/client/verification.ts'
import { localClient } from '../support/localClient.ts'

const WTI = 'EIA.PET.PRICE.WTI.DAILY'
const BRENT = 'EIA.PET.PRICE.BRENT.DAILY'
const chainName = 'casper-entities'
const validators = [createValidator('entities', 3n)]
const [old, fresh] = entityStates.registries

/** A client of a chain whose every block has this state, and whose registries are the old ones by default. */
function clientAt(name: EntityStateName, verify: (typeof verifyLevels)[number], registries = old) {
  const state = entityState(name)
  const blocks = createSignedChain({
    chainName,
    eras: 1,
    blocksPerEra: 3,
    validators: () => validators,
    stateRootHash: () => state.stateRootHash,
    startsAt: Date.now() - 3_000,
  })
  const [genesis] = blocks
  if (genesis === undefined || registries === undefined) throw new Error('nothing is recorded')
  const [node, values] = [blockNode(() => blocks), answerFrom(state)]
  const chain = {
    chainName,
    feedRegistryPackageHash: registries.feed_registry,
    attestationRegistryPackageHash: registries.attestation_registry,
    answer: ((method, params) => {
      if (method === 'info_get_status') return { result: { chainspec_name: chainName } }
      return method === 'chain_get_block' ? node(method, params) : values(method, params)
    }) satisfies ReturnType<typeof answerFrom>,
  }
  const full = verify === 'full' ? { trustedBlockHash: hashOf(genesis) } : {}
  return localClient(chain, { verify, ...full }).client
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
    const client = clientAt('installed', verify, fresh)
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
    const swapped = old && {
      feed_registry: old.attestation_registry,
      attestation_registry: old.feed_registry,
    }
    expect(await errorOf(clientAt('called', verify, swapped).getReading(WTI))).toMatchObject({
      code: 'package_not_found',
    })
  })

  test('error: a proof that others can verify', async () => {
    for (const [client, hash] of [
      [clientAt('called', verify), old?.feed_registry],
      [clientAt('installed', verify, fresh), fresh?.feed_registry],
    ] as const)
      expect(await errorOf(client.getFeedProof(WTI))).toEqual(new UnsupportedAccountError(`hash-${hash}`))
  })
})

import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { absent, createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { createRecordedRegistries } from '@wattfeed/casper-devnet/testing/recordings'
import { errorOf } from '@wattfeed/testing/errorOf'
import { factsOf } from '@wattfeed/testing/factsOf'
import { findContractKey, PackageNotFoundError, readOdraContract } from '../../src/odra/contract.ts'
import { createGlobalState } from '../../src/state/globalState.ts'

const { answer: recorded, stateRootHash, feedRegistryPackageHash } = createRecordedRegistries()
const packageHash = feedRegistryPackageHash.replace('hash-', '')
const contractKey = 'hash-15b3694abfd329c134f2323213f10d03ed7980cf756b34e92c5f21a04fe68da6'

const stored =
  (stored_value: object): AnswerRpc =>
  () => ({ result: { stored_value } })

const stateOf = (answer: AnswerRpc) => createGlobalState(createLocalRpc(answer))

const notFound = (rule: string) => ({
  name: 'PackageNotFoundError',
  code: 'package_not_found',
  retryable: false,
  registry: 'FeedRegistry',
  packageHash: '00',
  message: `FeedRegistry: the chain has ${rule} under hash-00; set the package hash on this chain, or use nodes of its network`,
})

describe('findContractKey', () => {
  test('default: of the recorded chain', async () => {
    expect(await findContractKey(stateOf(recorded), 'FeedRegistry', packageHash)).toBe(contractKey)
  })

  test('behavior: asks at the newest block', async () => {
    const asked: unknown[] = []
    const state = stateOf((...call) => {
      asked.push(call)
      return recorded(...call)
    })
    await findContractKey(state, 'FeedRegistry', packageHash)
    const params = { state_identifier: null, key: `hash-${packageHash}`, path: [] }
    expect(asked).toEqual([['query_global_state', params]])
  })

  test('error: no contract package', async () => {
    const found = findContractKey(
      stateOf(() => absent),
      'FeedRegistry',
      '00',
    )
    expect(await factsOf(found)).toEqual(notFound('no contract package'))
  })

  test('error: no enabled version', async () => {
    const answer = stored({ ContractPackage: { versions: [], disabled_versions: [] } })
    const found = findContractKey(stateOf(answer), 'FeedRegistry', '00')
    expect(await factsOf(found)).toEqual(notFound('no enabled version'))
  })

  test('error: a value of another kind is stored', async () => {
    const error = await errorOf(findContractKey(stateOf(stored({ Contract: {} })), 'FeedRegistry', '00'))
    expect(error).not.toBeInstanceOf(PackageNotFoundError)
    expect(error.message).toContain('the stored value is not a contract package')
  })
})

describe('readOdraContract', () => {
  const read = (answer: AnswerRpc) =>
    readOdraContract(stateOf(answer), 'FeedRegistry', contractKey, stateRootHash)
  const keys = (...names: string[]): AnswerRpc =>
    stored({
      Contract: { named_keys: names.map((name) => ({ name, key: `uref-${name}-007` })), entry_points: [] },
    })

  test('default: of the recorded chain', async () => {
    expect(await read(recorded)).toEqual({
      stateUref: 'uref-2ecb47e4668b0dca2f9f3a0eb31348d6971ba18ff1ac6750cb105c16861ac10b-007',
      events: {
        seedUref: 'uref-76a37d3c3f85efb804369c33626341a2d1753ec4d298acc3d770a4c780e72c40-007',
        lengthUref: 'uref-bf35fae46635b96801077c1d75cfa9cce1d359e5a7af0e107afc7ca9c7cb9432-007',
      },
      entryPoints: new Set([
        'feed_count',
        'get_attester',
        'get_feed',
        'get_feed_at',
        'init',
        'register_feed',
        'set_eligibility_gate',
        'upgrade',
      ]),
    })
  })

  test('behavior: a contract without a whole event log has none', async () => {
    for (const names of [['state'], ['state', '__events'], ['state', '__events_length']])
      expect(await read(keys(...names))).toEqual({
        stateUref: 'uref-state-007',
        events: null,
        entryPoints: new Set(),
      })
  })

  test('behavior: null if it does not exist at this state root', async () => {
    expect(await read(() => absent)).toBeNull()
  })

  test('error: it is no Odra contract', async () => {
    expect((await errorOf(read(keys('__events', '__events_length')))).message).toContain(
      'cannot decode FeedRegistry: the contract has no named key "state"',
    )
  })
})

import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createRecordedRegistries } from '@wattfeed/casper-devnet/testing/recordings'
import { list, odraItemKey, string, u8, u64, u512 } from '@wattfeed/testing/bytesrepr'
import { createSyntheticChain, syntheticFeedId } from './syntheticChain.ts'

const uref = (contract: unknown, name: string): unknown => {
  const keys = memberAt(contract, 'result', 'stored_value', 'Contract', 'named_keys')
  return Array.isArray(keys)
    ? memberAt(
        keys.find((each) => memberAt(each, 'name') === name),
        'key',
      )
    : undefined
}

const contractKeys = (contractPackage: unknown): string[] => {
  const versions = memberAt(contractPackage, 'result', 'stored_value', 'ContractPackage', 'versions')
  return Array.isArray(versions)
    ? versions.map((each) => String(memberAt(each, 'contract_hash')).replace('contract-', 'hash-'))
    : []
}

const readItem = async (answer: AnswerRpc, root: string, seed: unknown, key: string): Promise<unknown> => {
  const identifier = { URef: { seed_uref: seed, dictionary_item_key: key } }
  const params = { state_root_hash: root, dictionary_identifier: identifier }
  const answered = await answer('state_get_dictionary_item', params)
  return (
    memberAt(answered, 'result', 'stored_value', 'CLValue', 'bytes') ?? memberAt(answered, 'error', 'code')
  )
}

const contractOf = async (answer: AnswerRpc, packageHash: string): Promise<unknown> => {
  const key = contractKeys(await answer('query_global_state', { key: packageHash })).at(-1)
  return answer('query_global_state', { key })
}

describe('createSyntheticChain', () => {
  test('default: bytes are laid out as on the recorded chain', () => {
    const recorded = new Map(createRecordedRegistries().exchanges.map((each) => [each.note, each]))
    const bytesOf = (note: string): unknown =>
      memberAt(recorded.get(note), 'result', 'stored_value', 'CLValue', 'bytes')
    const keyOf = (note: string): unknown =>
      memberAt(recorded.get(note), 'params', 'dictionary_identifier', 'URef', 'dictionary_item_key')

    const feed = ['count', 'Zero amount', 'EIA', 'test/zero', 'annual', 'amount is zero'].map(string).join('')
    expect(bytesOf('FeedRegistry.feeds[TEST.ZERO.ANNUAL]')).toBe(list(u8(0) + feed))
    expect(keyOf('FeedRegistry.feeds[TEST.ZERO.ANNUAL]')).toBe(odraItemKey(2, string('TEST.ZERO.ANNUAL')))
    expect(keyOf('FeedRegistry.ids[7]')).toBe(odraItemKey(3, u64(7)))
    expect(bytesOf('FeedRegistry.count')).toBe(list(u64(43)))
    const source = '54469f44688f748c933ef6dbe21bf16d'
    const fields = u64(20261118) + u512(0x075bb290n) + string(source)
    expect(bytesOf('AttestationRegistry.__events[1]')).toBe(
      list(
        string('event_RevenueAttested') +
          string('EIA.NG.PRICE.HENRYHUB.DAILY') +
          fields +
          u64(0) +
          u64(0x01a1f8614c0bn),
      ),
    )
  })

  test('behavior: changes show at the next state root, and old roots stay as they were', async () => {
    const chain = createSyntheticChain({ feeds: 2 })
    const before = chain.stateRootHash()
    const seed = uref(await contractOf(chain.answer, chain.attestationRegistryPackageHash), 'state')
    const count = odraItemKey(4, string(syntheticFeedId(1)))
    chain.attest(syntheticFeedId(1), { amount: 7n })
    expect(await readItem(chain.answer, before, seed, count)).toBe(list(u64(1)))
    const after = chain.advance()
    expect(await readItem(chain.answer, before, seed, count)).toBe(list(u64(1)))
    expect(await readItem(chain.answer, after, seed, count)).toBe(list(u64(2)))
  })
})

import { describe, expect, test } from 'bun:test'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { errorOf } from '@wattfeed/testing/errorOf'
import { feedMetadata } from '../../../src/feeds/file/feedConfig.ts'
import { formatHistory, readHistory } from '../../../src/operator/feeds/history.ts'
import { createConfig } from './support/feedConfigs.ts'
import { createFeedsChain, START } from './support/feedsChain.ts'

const signer = await testSigner()
const wti = createConfig()

async function chainOf() {
  const chain = await createFeedsChain()
  await chain.register(wti.feed_id, feedMetadata(wti))
  return chain
}

describe('readHistory', () => {
  test('default: the newest values, oldest first, with their numbers', async () => {
    const chain = await chainOf()
    for (const day of [16, 17, 18])
      await chain.attest(wti.feed_id, { period: 20261100 + day, amount: BigInt(day) * 1_000_000n })
    const value = { source_hash: 'ab'.repeat(16), attester: signer.accountHash }
    expect(await readHistory(chain.client, wti.feed_id, 2)).toEqual({
      feed_id: wti.feed_id,
      unit: '$/bbl',
      decimals: 6,
      count: 3,
      values: [
        {
          ...value,
          index: 1,
          period: 20261117,
          amount: '17000000',
          value: '17.000000',
          timestamp: START + 3,
        },
        {
          ...value,
          index: 2,
          period: 20261118,
          amount: '18000000',
          value: '18.000000',
          timestamp: START + 4,
        },
      ],
    })
    expect((await readHistory(chain.client, wti.feed_id, 100)).values.map(({ index }) => index)).toEqual([
      0, 1, 2,
    ])
  })

  test('behavior: a feed without values', async () => {
    expect(await readHistory((await chainOf()).client, wti.feed_id, 20)).toMatchObject({
      count: 0,
      values: [],
    })
  })

  test('error: a feed that is not registered', async () => {
    expect(await errorOf(readHistory((await chainOf()).client, 'EIA.NOPE', 20))).toMatchObject({
      code: 'feed_not_registered',
      feedId: 'EIA.NOPE',
    })
  })
})

describe('formatHistory', () => {
  test('default: a line for each value', async () => {
    const chain = await chainOf()
    await chain.attest(wti.feed_id, { period: 20261118, amount: 59_910_000n })
    await chain.attest(wti.feed_id, { period: 20261119, amount: 1n })
    const read = await readHistory(chain.client, wti.feed_id, 20)
    const times = [1_795_168_726_426, 2 ** 60]
    const values = read.values.map((value, index) => ({ ...value, timestamp: times[index] ?? 0 }))
    const history = { ...read, values }
    const hash = 'ab'.repeat(16)
    expect(formatHistory(history).split('\n')).toEqual([
      'EIA.PET.PRICE.WTI.DAILY in $/bbl: 2 of 2 values',
      `number  period    value      attested                  source hash                       attester`,
      `0       20261118  59.910000  2026-11-20T09:58:46.426Z  ${hash}  ${signer.accountHash}`,
      `1       20261119  0.000001   1152921504606847000       ${hash}  ${signer.accountHash}`,
    ])
  })

  test('behavior: no values are no table', async () => {
    const history = await readHistory((await chainOf()).client, wti.feed_id, 20)
    expect(formatHistory(history)).toBe('EIA.PET.PRICE.WTI.DAILY in $/bbl: 0 of 0 values')
  })
})

import { expect, test } from 'bun:test'
import { createDevnet } from '@wattfeed/casper-devnet'
import { tipHeight } from '../devnetBlocks.ts'
import { nodeOf } from './nodeWithFaults.ts'

test('behavior: each node has its own faults, and the devnet has none', async () => {
  await using devnet = createDevnet({ accounts: 1 })
  const [behind, silent] = [nodeOf(devnet), nodeOf(devnet)]
  behind.faults.lag(2)
  silent.faults.refuse()
  for (let height = 1; height <= 5; height++) devnet.produceBlock()
  expect([await tipHeight(devnet), await tipHeight(behind)]).toEqual([5, 3])
  await expect(silent.call('info_get_status')).rejects.toThrow('the node rejects the call')
  silent.faults.clear()
  expect(await tipHeight(silent)).toBe(5)
})

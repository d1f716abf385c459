import { expect, test } from 'bun:test'
import { createFolder } from '@wattfeed/testing/folder'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'
import {
  readSettledBlocks,
  recordSettledBlock,
  type SettledBlock,
} from '../../../src/agent/state/settledBlocks.ts'

const destination = { chainName: 'casper-net-1', contract: 'ab'.repeat(32), account: 'account-hash-01' }
const blockOf = (height: number): SettledBlock => ({ height, expiresAt: 1_000 * height })

/** A process on a state folder. */
function openProcess(stateDir: string, changes: Partial<typeof destination> = {}) {
  const file = openState(stateDir, { purpose: 'test' })
  const state = stateOf(file, { ...destination, ...changes })
  return {
    record: (feedIds: string[], block: SettledBlock) =>
      file.write(() => recordSettledBlock(state, feedIds, block)),
    read: () => readSettledBlocks(state),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}

test('behavior: another process on the folder is seen at once, and the later block counts', () => {
  using folder = createFolder()
  using agent = openProcess(folder.path)
  using command = openProcess(folder.path)
  agent.record(['EIA.A'], blockOf(2))
  command.record(['EIA.A', 'EIA.B'], blockOf(3))
  expect(agent.read()).toEqual(
    new Map([
      ['EIA.A', blockOf(3)],
      ['EIA.B', blockOf(3)],
    ]),
  )
  command.record(['EIA.A'], blockOf(2))
  expect(agent.read().get('EIA.A')).toEqual(blockOf(3))
  // A chain that was started again has lower blocks.
  agent.record(['EIA.A'], { height: 1, expiresAt: 9_000 })
  expect(command.read().get('EIA.A')).toEqual({ height: 1, expiresAt: 9_000 })
})

test('behavior: another chain, registry or account has its own', () => {
  using folder = createFolder()
  using one = openProcess(folder.path)
  one.record(['EIA.A'], blockOf(2))
  for (const changes of [
    { chainName: 'casper' },
    { contract: 'cd'.repeat(32) },
    { account: 'account-hash-02' },
  ]) {
    using other = openProcess(folder.path, changes)
    expect(other.read()).toEqual(new Map())
  }
})

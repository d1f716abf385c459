import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { createFolder } from '@wattfeed/testing/folder'
import type { CheckpointStore, ClientOptions } from 'wattfeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { WTI } from 'wattfeed/testing/world'
import { createCheckpointFile } from '../../../src/runtime/checkpointFile.ts'

/** Reads once with a new client; returns the number of blocks that it requested. */
async function blocksAsked(world: VerifiedWorld, options: ClientOptions): Promise<number> {
  let blocks = 0
  const rpcCall = ({ method }: { method: string }): void => {
    if (method === 'chain_get_block') blocks += 1
  }
  const client = world.client([0], { ...options, observe: { rpcCall } })
  expect((await client.getReading(WTI))?.amount).toBe(59_910_000n)
  return blocks
}

test('default: a restarted client resumes from the last checkpoint', async () => {
  await using world = await createVerifiedWorld({ eras: 6 })
  using folder = createFolder()
  const path = `${folder.path}/checkpoint.json`
  const checkpoint = createCheckpointFile(path)
  const { genesisHash: trustedBlockHash } = world
  // Head, trusted block and six switch blocks.
  expect(await blocksAsked(world, { checkpoint })).toBe(1 + 1 + 6)
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    chainName: 'casper-devnet',
    trustedBlockHash,
    blockHash: (await world.blockAt(120)).block.Version2.hash,
  })
  // Head and the checkpoint’s block.
  expect(await blocksAsked(world, { checkpoint })).toBe(2)
  world.endEras(2)
  expect(await blocksAsked(world, { checkpoint })).toBe(4)
  expect(JSON.parse(await readFile(path, 'utf8')).blockHash).toBe(
    (await world.blockAt(160)).block.Version2.hash,
  )
  expect(await blocksAsked(world, {})).toBeGreaterThanOrEqual(1 + 1 + 8)
})

test('behavior: a checkpoint that no node knows is forgotten, and the way is verified again', async () => {
  await using world = await createVerifiedWorld()
  const saved: string[] = []
  const checkpoint: CheckpointStore = {
    load: async () => ({
      chainName: 'casper-devnet',
      trustedBlockHash: world.genesisHash,
      blockHash: 'ab'.repeat(32),
    }),
    save: async ({ blockHash }) => {
      saved.push(blockHash)
    },
  }
  const client = world.client([0, 1], { checkpoint })
  expect((await client.getReading(WTI))?.amount).toBe(59_910_000n)
  expect([saved, client.rejected()]).toEqual([[(await world.blockAt(40)).block.Version2.hash], []])
})

test('behavior: a checkpoint that cannot be stored stops no read', async () => {
  await using world = await createVerifiedWorld()
  const checkpoint: CheckpointStore = {
    load: async () => null,
    save: () => Promise.reject(new Error('the disk is full')),
  }
  const client = world.client([0], { checkpoint })
  expect((await client.getReading(WTI))?.amount).toBe(59_910_000n)
  expect(client.rejected()).toEqual([])
})

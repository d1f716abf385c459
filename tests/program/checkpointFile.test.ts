import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { Checkpoint } from '../../src/client/index.ts'
import { createCheckpointFile } from '../../src/program/checkpointFile.ts'
import { createFolder } from '../agent/support/keys.ts'

const checkpoint: Checkpoint = {
  chainName: 'casper-test',
  trustedBlockHash: 'ab'.repeat(32),
  blockHash: 'cd'.repeat(32),
}

describe('createCheckpointFile', () => {
  test('default: what was saved is loaded, by another program too', async () => {
    using folder = createFolder()
    const path = `${folder.path}/checkpoint.json`
    await createCheckpointFile(path).save(checkpoint)
    expect(await createCheckpointFile(path).load()).toEqual(checkpoint)
  })

  test('behavior: a newer one takes its place, and nothing else is left behind', async () => {
    using folder = createFolder()
    const file = createCheckpointFile(`${folder.path}/checkpoint.json`)
    await file.save(checkpoint)
    await file.save({ ...checkpoint, blockHash: 'ef'.repeat(32) })
    expect(await file.load()).toEqual({ ...checkpoint, blockHash: 'ef'.repeat(32) })
    expect(readdirSync(folder.path)).toEqual(['checkpoint.json'])
  })

  test('behavior: it is JSON that only its owner can change: it is believed', async () => {
    using folder = createFolder()
    const path = `${folder.path}/checkpoint.json`
    await createCheckpointFile(path).save(checkpoint)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(checkpoint)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('behavior: none where there is no file', async () => {
    using folder = createFolder()
    expect(await createCheckpointFile(`${folder.path}/none.json`).load()).toBeNull()
  })

  const others: [string, string][] = [
    ['an empty file', ''],
    ['half a file', '{"chainName":"casper-test","trusted'],
    ['another file', '{"some":"JSON"}'],
    ['null', 'null'],
    ['a hash that is none', JSON.stringify({ ...checkpoint, blockHash: 'genesis' })],
    ['a hash in upper case', JSON.stringify({ ...checkpoint, trustedBlockHash: 'AB'.repeat(32) })],
  ]
  test.each(others)('behavior: %s is no checkpoint', async (_, content) => {
    using folder = createFolder()
    expect(await createCheckpointFile(folder.write('checkpoint.json', content)).load()).toBeNull()
  })

  test('behavior: makes the folder', async () => {
    using folder = createFolder()
    const file = createCheckpointFile(`${folder.path}/none/checkpoint.json`)
    await file.save(checkpoint)
    expect(await file.load()).toEqual(checkpoint)
  })

  test('error: what cannot be saved leaves nothing behind', async () => {
    using folder = createFolder()
    const path = `${folder.path}/taken`
    await createCheckpointFile(`${path}/checkpoint.json`).save(checkpoint)
    await expect(createCheckpointFile(path).save(checkpoint)).rejects.toThrow()
    expect(readdirSync(folder.path)).toEqual(['taken'])
  })
})

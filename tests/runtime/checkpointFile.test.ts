import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import type { Checkpoint } from 'wattfeed'
import { assertCheckpointFile, createCheckpointFile } from '../../src/runtime/checkpointFile.ts'
import { SettingsError } from '../../src/runtime/settings/settings.ts'
import { createTestLog } from '../server/testApp.ts'

const checkpoint: Checkpoint = {
  chainName: 'casper-test',
  trustedBlockHash: 'ab'.repeat(32),
  blockHash: 'cd'.repeat(32),
}

describe('createCheckpointFile', () => {
  test('default: a saved checkpoint is loaded, even by another program', async () => {
    using folder = createFolder()
    const path = `${folder.path}/checkpoint.json`
    await createCheckpointFile(path).save(checkpoint)
    expect(await createCheckpointFile(path).load()).toEqual(checkpoint)
  })

  test('behavior: a newer one replaces it, and no other file is left behind', async () => {
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

  test('behavior: none without file', async () => {
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

  test('error: a failed save leaves no file behind', async () => {
    using folder = createFolder()
    const path = `${folder.path}/taken`
    await createCheckpointFile(`${path}/checkpoint.json`).save(checkpoint)
    await expect(createCheckpointFile(path).save(checkpoint)).rejects.toThrow()
    expect(readdirSync(folder.path)).toEqual(['taken'])
  })

  test('behavior: that it can no longer be written is logged once, and again after it could', async () => {
    using folder = createFolder()
    const { log, lines } = createTestLog()
    const path = `${folder.path}/checkpoint.json`
    const file = createCheckpointFile(path, log)
    const failTwice = async () => {
      mkdirSync(path)
      for (let saves = 0; saves < 2; saves++) await expect(file.save(checkpoint)).rejects.toThrow()
      rmSync(path, { recursive: true })
    }
    await failTwice()
    const line = {
      level: 'warn',
      fields: { path, reason: 'EISDIR: let this user write there' },
      message: 'cannot save the checkpoint',
    } as const
    expect(lines).toEqual([line])
    await file.save(checkpoint)
    rmSync(path)
    await failTwice()
    expect(lines).toEqual([line, line])
  })
})

describe('assertCheckpointFile', () => {
  test('default: no file need be named', async () => {
    await assertCheckpointFile(null)
  })

  test('behavior: checking the checkpoint file leaves no new file behind', async () => {
    using folder = createFolder()
    const path = `${folder.path}/checkpoint.json`
    await assertCheckpointFile(path)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('behavior: an existing file stays the same, byte for byte', async () => {
    using folder = createFolder()
    const path = folder.write('checkpoint.json', `\n ${JSON.stringify(checkpoint)}`)
    const before = readFileSync(path)
    await assertCheckpointFile(path)
    expect(readFileSync(path)).toEqual(before)
    expect(await createCheckpointFile(path).load()).toEqual(checkpoint)
    expect(readdirSync(folder.path)).toEqual(['checkpoint.json'])
  })

  test.each(['\ufeff not \0 ours', JSON.stringify(checkpoint).slice(0, 99), '{}'])(
    'error: a file that is not a checkpoint is named, and stays as it is: %j',
    async (content) => {
      using folder = createFolder()
      const path = folder.write('checkpoint.json', content)
      const before = readFileSync(path)
      const error = await errorOf(assertCheckpointFile(path))
      expect(error.message).toBe(
        `CHECKPOINT_FILE is "${path}": it is not a checkpoint; remove the file, then this start verifies from TRUSTED_BLOCK_HASH on, or name another file`,
      )
      expect(readFileSync(path)).toEqual(before)
    },
  )

  test('error: a file that cannot be written, with the path, the reason and the way out', async () => {
    using folder = createFolder()
    mkdirSync(`${folder.path}/folder`)
    const file = folder.write('file', '')
    for (const [path, reason] of [
      [`${folder.path}/folder`, 'EISDIR'],
      [`${file}/checkpoint.json`, 'ENOTDIR'],
      ['/proc/none/checkpoint.json', 'ENOENT'],
    ] as const) {
      const error = await errorOf(assertCheckpointFile(path))
      expect(error).toBeInstanceOf(SettingsError)
      expect(error.message).toBe(
        `CHECKPOINT_FILE is "${path}": it cannot be written (${reason}): let this user write there, name a file elsewhere, or unset it: then every start verifies from TRUSTED_BLOCK_HASH on`,
      )
    }
    expect(readdirSync(folder.path).sort()).toEqual(['file', 'folder'])
  })
})

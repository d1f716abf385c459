import { describe, expect, test } from 'bun:test'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { loadFeeds } from '../../../src/agent/feeds/loadFeeds.ts'
import { writeFeed } from '../../../src/operator/feeds/writeFeed.ts'
import { acquireLock } from '../../../src/runtime/lockFile.ts'
import { createFolder } from '../../agent/support/keys.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createConfig } from './support/feedConfigs.ts'

const wti = createConfig()
const brent = createConfig({ feed_id: 'EIA.BRENT' })

describe('writeFeed', () => {
  test('default: adds an entry, keeps who may read the file, and leaves nothing else behind', async () => {
    using folder = createFolder()
    const path = folder.write('feeds.json', `[\n  ${JSON.stringify(wti)}\n]\n`, 0o640)
    await writeFeed(path, brent)
    expect(await loadFeeds(path)).toEqual([wti, brent])
    expect(readFileSync(path, 'utf8')).toStartWith(`[\n  ${JSON.stringify(wti)},\n  {\n`)
    expect([statSync(path).mode & 0o777, readdirSync(folder.path)]).toEqual([0o640, ['feeds.json']])
  })

  test('behavior: makes the file, and its folder', async () => {
    using folder = createFolder()
    const path = `${folder.path}/deep/feeds.json`
    await writeFeed(path, wti)
    expect(await loadFeeds(path)).toEqual([wti])
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  test('behavior: a link stays one, and what it names is written', async () => {
    using folder = createFolder()
    const path = folder.write('real.json', '[]')
    const link = `${folder.path}/feeds.json`
    symlinkSync(path, link)
    await writeFeed(link, wti)
    expect([lstatSync(link).isSymbolicLink(), await loadFeeds(path)]).toEqual([true, [wti]])
  })

  test('error: the id is there already', async () => {
    using folder = createFolder()
    const text = JSON.stringify([wti])
    const path = folder.write('feeds.json', text)
    expect(await errorOf(writeFeed(path, { ...brent, feed_id: wti.feed_id }))).toMatchObject({
      code: 'new_feed',
      message: `${wti.feed_id} is in ${path} already; --id gives another one`,
    })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test.each(['', '{', '{}', '[{}]'])('error: %p is no feeds file, and stays as it is', async (text) => {
    using folder = createFolder()
    const path = folder.write('feeds.json', text)
    expect(await errorOf(writeFeed(path, wti))).toMatchObject({ code: 'feeds_file' })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('error: another program writes it', async () => {
    using folder = createFolder()
    const path = folder.write('feeds.json', '[]')
    using _ = acquireLock(`${path}.lock`)
    expect(await errorOf(writeFeed(path, wti))).toMatchObject({ code: 'locked', holder: process.pid })
    expect(existsSync(`${path}.lock`)).toBeTrue()
  })
})

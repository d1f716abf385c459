import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import expected from '../../fixtures/chain/expected-readings.json'
import { takePort } from '../support/ports.ts'
import { runToEnd } from '../support/program.ts'
import {
  curlUrls,
  type Demo,
  demo,
  portIsFree,
  printedClient,
  printedFeedList,
  startDemo,
  urlsIn,
} from './demoProcess.ts'

describe('demo --recorded', () => {
  let running: Demo
  let announcement: string

  beforeAll(async () => {
    running = startDemo('--recorded')
    announcement = await running.announcement
  })
  afterAll(() => running[Symbol.asyncDispose]())

  test('default: the recorded readings are served, field for field', async () => {
    const [listening] = urlsIn(announcement)
    const body = await (await fetch(`${listening}/v1/feeds`)).json()
    expect(JSON.stringify(body)).toBe(JSON.stringify(expected))
  })

  test('behavior: it states that the values are recorded test data', () => {
    expect(announcement).toContain('recorded exchanges of a real Casper 2.0.3 network')
    expect(announcement).toContain('test data, not live EIA statistics')
  })

  test('behavior: the three printed lines work unchanged', async () => {
    const urls = curlUrls(announcement)
    expect(urls).toHaveLength(3)
    for (const url of urls) {
      const response = await fetch(url)
      expect(response.status).toBe(200)
      expect(Object.keys(Object(await response.json()))).not.toContain('error')
    }
  })

  test('behavior: the printed settings and options read the same chain', async () => {
    const client = printedClient(announcement)
    expect(await client.listReadings()).toHaveLength(expected.count)
    const { feeds } = await printedFeedList(announcement)
    expect(feeds.filter(({ is_registered }) => is_registered)).toHaveLength(await client.feedCount())
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('behavior: %s stops everything, exit code 0', async (name) => {
    await using other = startDemo('--recorded')
    const urls = new Set(urlsIn(await other.announcement).map((url) => new URL(url).origin))
    expect(urls.size).toBe(2)
    other.signal(name)
    expect(await other.exitCode).toBe(0)
    for (const url of urls) expect(await portIsFree(url)).toBe(true)
  })

  test('error: a taken port is named in one line, exit code 1', async () => {
    await using taken = await takePort()
    const { port } = taken
    const { exitCode, stdout, stderr } = await runToEnd([process.execPath, demo, '--recorded'], {
      PORT: String(port),
    })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`^[^\n]*${port}[^\n]*\n$`))
  })

  test('behavior: --help lists the options', async () => {
    const { exitCode, stdout } = await runToEnd([process.execPath, demo, '--help'])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('--recorded')])
  })

  test('error: an unknown option is rejected', async () => {
    const { exitCode, stderr } = await runToEnd([process.execPath, demo, '--live'])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("unknown option '--live'")])
  })
})

import { expect, test } from 'bun:test'
import { createOut } from '../operator/export/exported.ts'
import { wattfeed } from '../support/binary.ts'
import { createDevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { runToEnd } from '../support/program.ts'

const watched = dailyFeeds.filter(({ feed_id }) => /WTI|BRENT/.test(feed_id))

/** Reads events of a stream. `next` returns the data of the next one with a name. */
async function listenTo(url: string, end: AbortSignal) {
  const { body } = await fetch(url, { signal: end })
  const lines = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async next(event: string): Promise<unknown> {
      for (;;) {
        const [whole, data] = new RegExp(`event: ${event}\\ndata: (.*)\\n\\n`).exec(text) ?? []
        if (whole !== undefined && data !== undefined) {
          text = text.slice(text.indexOf(whole) + whole.length)
          return JSON.parse(data)
        }
        const chunk = await lines?.read()
        if (chunk === undefined || chunk.done) throw new Error(`the stream has ended: ${text}`)
        text += chunk.value
      }
    },
    hasReset: () => text.includes('event: reset'),
  }
}

test('default: agent, server, its stream and an export go on while the network upgrades from 2.0.3 to 2.2', async () => {
  await using bench = await createDevnetBench({ feeds: watched, protocol: '2.0.3' })
  const { devnet } = bench.chain
  const full = { VERIFY: 'full', TRUSTED_BLOCK_HASH: devnet.genesisHash }
  await using server = await bench.serve(full)
  await using agent = bench.start('agent', ['--json', '--interval', 'daily=1s'], full)
  const attested = async (period: number, value: string): Promise<void> => {
    for (const { feed_id } of watched) {
      const line = JSON.parse(
        await agent.line(`"feed_id":"${feed_id}","decision":"new-period","period":${period}`),
      )
      expect([line.value, line.error]).toEqual([value, null])
    }
  }
  for (const { feed_id } of watched) await agent.line(`"feed_id":"${feed_id}","decision":"new-period"`)
  using streaming = { end: new AbortController(), [Symbol.dispose]: () => streaming.end.abort() }
  const stream = await listenTo(`${server.url}/v1/stream`, streaming.end.signal)
  bench.publish('61.25', '2026-11-23')
  await attested(20261123, '61.25')
  for (const _ of watched) expect(await stream.next('attested')).toMatchObject({ value: 61.25 })

  const eraId = devnet.upgrade()
  let block = devnet.produceBlock()
  while (block.eraId < eraId) block = devnet.produceBlock()
  expect(block.json.block.Version2.header).toMatchObject({ protocol_version: '2.2.2' })

  bench.publish('62.5', '2026-11-24')
  await attested(20261124, '62.5')
  for (const _ of watched) expect(await stream.next('attested')).toMatchObject({ value: 62.5 })
  expect(stream.hasReset()).toBeFalse()
  for (const { feed_id } of watched) {
    const shown = await (await fetch(`${server.url}/v1/feeds/${feed_id}`)).json()
    expect(shown).toMatchObject({ value: 62.5, period: 20261124 })
  }
  using out = createOut()
  const settings = { ...bench.settings, ...full }
  const exported = await runToEnd([...wattfeed('export'), '--out', out.path, '--json'], settings)
  expect([exported.exitCode, exported.stderr]).toEqual([0, expect.any(String)])
  const { rows, verification } = JSON.parse(exported.stdout)
  expect([rows, verification]).toMatchObject([(await bench.attested()).length, { level: 'full' }])
  expect((await agent.kill('SIGTERM')).exitCode).toBe(0)
  expect(bench.pending()).toEqual([])
})

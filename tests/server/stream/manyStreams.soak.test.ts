import { expect, test } from 'bun:test'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import { residentMegabytes } from '../../../bench/rss.ts'
import { startServerProcess } from '../../../src/demo/programs.ts'
import { startStreamLoad } from '../../support/streamLoad.ts'

// By default a sample; `bun run soak` holds 10,000 for ten minutes.
const STREAMS = Number(process.env.STREAMS ?? 50)
const STREAM_MINUTES = Number(process.env.STREAM_MINUTES ?? 0)

const MAX_MEGABYTES = 150

test(
  `behavior: ${STREAMS} streams are held for ${STREAM_MINUTES} minutes, and every one receives every event`,
  async () => {
    const chain = createSyntheticChain({ feeds: 43 })
    const node = await startCountedNode(chain.answer)
    const settings = {
      CASPER_RPC_URL: node.url,
      CASPER_CHAIN_NAME: chain.chainName,
      FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
      STREAM_POLL_MS: '100',
      HOST: '127.0.0.1',
      PORT: '0',
    }
    const server = await startServerProcess(settings, 'ignore')
    const load = startStreamLoad(`${server.url.replace('localhost', '127.0.0.1')}/v1/stream`, STREAMS)
    try {
      while ((await load.report()).open < STREAMS) await Bun.sleep(20)
      const end = performance.now() + STREAM_MINUTES * 60_000
      let attested = 0
      let megabytes = 0
      do {
        chain.attest(syntheticFeedId(attested % 43), { amount: BigInt(attested) })
        chain.advance()
        attested += 1
        while ((await load.report()).events < attested) await Bun.sleep(20)
        megabytes = Math.max(megabytes, await residentMegabytes(server.pid))
        if (STREAM_MINUTES > 0) await Bun.sleep(5_000)
      } while (performance.now() < end)
      const report = await load.report()
      const spreadMs = report.spreadsMs.toSorted((a, b) => a - b)[Math.floor(report.spreadsMs.length / 2)]
      if (STREAM_MINUTES > 0) console.log({ ...report, spreadsMs: undefined, spreadMs, megabytes })
      expect([report.closed, report.open, report.events]).toEqual([0, STREAMS, attested])
      expect(megabytes).toBeLessThan(MAX_MEGABYTES)
    } finally {
      await load[Symbol.asyncDispose]()
      await server.stop()
      await node.stop()
    }
  },
  (STREAM_MINUTES + 5) * 60_000,
)

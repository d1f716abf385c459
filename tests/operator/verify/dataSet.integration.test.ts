import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { WTI } from 'wattfeed/testing/world'
import { wattfeed } from '../../support/binary.ts'
import { type Ended, type RunningProgram, runToEnd, spawnProgram } from '../../support/program.ts'

let world: VerifiedWorld
let folder: Folder
let proof: string
let exported: Ended

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  folder = createFolder()
  const out = join(folder.path, 'data')
  proof = join(out, '_proofs.jsonl')
  exported = await startExport(out).ended
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Starts an export with a proof. */
function startExport(out: string, url = world.nodes[0]?.url ?? ''): RunningProgram {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = world.network
  const env = {
    CASPER_RPC_URL: url,
    CASPER_CHAIN_NAME: chainName,
    FEED_REGISTRY_PACKAGE_HASH: feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: attestationRegistryPackageHash,
    VERIFY: 'full',
    TRUSTED_BLOCK_HASH: world.genesisHash,
  }
  return spawnProgram([...wattfeed('export'), '--out', out, '--proofs', '--json'], { env, cwd: folder.path })
}

function verify(source: string, ...args: readonly string[]): Promise<Ended> {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = world.network
  const named = ['--chain-name', chainName, '--feed-registry', feedRegistryPackageHash]
  const trusted = ['--attestation-registry', attestationRegistryPackageHash, '--trust', world.genesisHash]
  return runToEnd([...wattfeed('verify'), source, ...named, ...trusted, ...args])
}

describe('the proof of an exported data set', () => {
  test('default: the commands write it and check it', async () => {
    expect(exported.exitCode).toBe(0)
    expect(JSON.parse(exported.stdout)).toMatchObject({ rows: 2, verification: { level: 'full' } })
    expect(exported.stderr).toContain('the data set is proven at block')
    const { exitCode, stdout } = await verify(proof)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('\n✓ rows: all 2 rows equal the proven values\n')
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^proven: all 2 values of all 2 feeds, and all 4 events, as of block \d+ \(2 rows compared\)$/,
    )
    const json = await verify(proof, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({
      proven: true,
      data_set: { feeds: 2, values: 2, events: { FeedRegistry: 2, AttestationRegistry: 2 }, rows: 2 },
    })
  })

  test('error: a changed proof is refuted, and an unknown format is unreadable', async () => {
    const text = readFileSync(proof, 'utf8')
    const cut = await verify(folder.write('cut.jsonl', text.slice(0, -10)))
    expect([cut.exitCode, cut.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      'refuted: AttestationRegistry __events does not hold',
    ])
    const unknown = await verify(folder.write('format.jsonl', text.replace('"format":1', '"format":9')))
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('use a newer version of wattfeed'),
    ])
  })

  test('behavior: after the process is killed, the next run resumes at its block', async () => {
    const out = join(folder.path, 'killed')
    const { devnet, attest, owner } = world.world
    const reached = Promise.withResolvers<void>()
    let reads = 0
    const url = await world.serve((method, params) => {
      if (method !== 'state_get_dictionary_item' || ++reads < 4) return devnet.call(method, params)
      reached.resolve()
      return new Promise(() => {})
    })
    const first = startExport(out, url)
    await first.until(reached.promise)
    const { stderr } = await first.kill()
    const [, root = ''] = /state root ([0-9a-f]{64})/.exec(stderr) ?? []
    expect(await attest(owner, WTI, 61_000_000n)).toBeNull()
    const resumed = await startExport(out).ended
    expect(resumed.stderr).toContain('resumes a proof of which')
    expect(JSON.parse(resumed.stdout)).toMatchObject({ state_root_hash: root, rows: 2 })
    const next = await startExport(out).ended
    expect(JSON.parse(next.stdout)).toMatchObject({ rows: 3, new_rows: 1 })
    expect((await verify(join(out, '_proofs.jsonl'))).exitCode).toBe(0)
  })
})

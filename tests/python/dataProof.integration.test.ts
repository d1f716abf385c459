import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { exportProven, proofPath } from '../operator/dataProof/provenData.ts'
import { runToEnd } from '../support/program.ts'

const python = Bun.which('python3')
const script = new URL('data_proof.py', import.meta.url).pathname

describe.skipIf(python === null)('a verifier in Python that was written from docs/verify-spec.md', () => {
  let chain: RegistryChain
  let folder: Folder
  let lines: string[]

  beforeAll(async () => {
    chain = await createRegistryChain({ feeds: 3 })
    for (let index = 0; index < 20; index++) chain.attest(testFeedId(index % 3), { amount: BigInt(index) })
    chain.register('EMPTY.FEED')
    await chain.advance()
    folder = createFolder()
    const out = join(folder.path, 'data')
    await exportProven(chain, out)
    lines = readFileSync(proofPath(out), 'utf8').trimEnd().split('\n')
  })

  afterAll(() => folder?.[Symbol.dispose]())

  function check(changed: readonly string[]) {
    const path = folder.write('proof.jsonl', `${changed.join('\n')}\n`)
    const packages = [chain.feedRegistryPackageHash, chain.attestationRegistryPackageHash]
    const hashes = packages.map((hash) => hash.slice('hash-'.length))
    return runToEnd([python ?? '', script, path, ...hashes], {}, folder.path)
  }

  test('default: it reads the same feeds, values and events from the file', async () => {
    const { exitCode, stdout, stderr } = await check(lines)
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({ feeds: 4, values: 23, events: [4, 23] })
  })

  test('error: an element is missing, or one too many', async () => {
    expect((await check(lines.toSpliced(-10, 1))).exitCode).toBe(1)
    expect((await check([...lines, lines.at(-1) ?? ''])).exitCode).toBe(1)
  })
})

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decodeHex, memberAt } from '@wattfeed/base'
import { chainFixtures } from '@wattfeed/casper-devnet/testing/recordings'
import { factsOf } from '@wattfeed/testing/factsOf'
import { Deploy } from 'casper-js-sdk'
import { verifySignature } from '../../src/consensus/verifySignature.ts'
import { decodeDeploy } from '../../src/types/deploy.ts'
import { deploySessions, json, keys, NOW, signedDeploy } from '../support/sdkTransactions.ts'

/** The deploy in the recording of a real node. */
const recorded: unknown = gunzipSync(readFileSync(`${chainFixtures}own-contracts.jsonl.gz`))
  .toString()
  .split('\n')
  .filter((line) => line.includes('"Deploy"'))
  .map((line) => memberAt(JSON.parse(line), 'result', 'transaction'))[0]

const kinds: Readonly<Record<string, string>> = {
  'module bytes': 'ModuleBytes',
  'contract by hash': 'StoredContractByHash',
  'contract by name': 'StoredContractByName',
  'package by hash': 'StoredVersionedContractByHash',
  'package by name': 'StoredVersionedContractByName',
}

describe('decodeDeploy', () => {
  test('default: the deploy of a real node, whose signature is of its hash', async () => {
    const deploy = decodeDeploy(recorded)
    expect(deploy).toMatchObject({
      hash: String(memberAt(recorded, 'Deploy', 'hash')),
      header: {
        chain_name: 'casper-real-1',
        timestamp: Date.parse('2026-11-22T00:25:47.546Z'),
        ttl: 1_800_000,
      },
      session: {
        kind: 'StoredVersionedContractByHash',
        value: { version: null, entry_point: 'feed_count', args: [] },
      },
    })
    const [approval] = deploy.approvals
    const message = decodeHex(deploy.hash, 'hash')
    expect(await verifySignature(approval?.signer ?? '', message, approval?.signature ?? '')).toBe(true)
  })

  const made = Object.entries(deploySessions).flatMap(([name, session]) =>
    Object.entries(keys).map(([kind, key]) => [name, kind, signedDeploy(session(), { key })] as const),
  )
  test.each(made)('default: %s, %s, made by casper-js-sdk', (name, _, deploy) => {
    expect(decodeDeploy({ Deploy: json(Deploy.toJSON(deploy)) })).toMatchObject({
      hash: deploy.hash.toHex(),
      header: { timestamp: NOW, account: deploy.header.account?.toHex() ?? '' },
      session: { kind: kinds[name] ?? '' },
    })
  })

  test.each([
    ['the session', ['Deploy', 'session', 'StoredVersionedContractByHash'], { entry_point: 'attest' }],
    ['the payment', ['Deploy', 'payment', 'ModuleBytes'], { args: [] }],
    ['the header', ['Deploy', 'header'], { gas_price: 2 }],
    ['the hash', ['Deploy'], { hash: 'ab'.repeat(32) }],
  ] as const)('error: %s was changed', async (_, path, change) => {
    const changed = structuredClone(recorded)
    Object.assign(Object(memberAt(changed, ...path)), change)
    expect(await factsOf((async () => decodeDeploy(changed))())).toMatchObject({
      code: 'decode',
      what: 'deploy',
      rule: expect.stringContaining('the content was changed'),
    })
  })

  test('error: two approvals of a key, or another kind of transaction', () => {
    const doubled = structuredClone(recorded)
    const { approvals } = Object(memberAt(doubled, 'Deploy'))
    approvals.push(approvals[0])
    expect(() => decodeDeploy(doubled)).toThrow('duplicate approval of key')
    expect(() => decodeDeploy({ Version1: {} })).toThrow('transaction')
  })
})

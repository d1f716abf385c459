import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createDevnet, startDevnet } from '@wattfeed/casper-devnet'
import { startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { hasBrowser } from '@wattfeed/testing/browser'
import { build } from 'esbuild'
import network from '../../fixtures/chain/network.json'
import { openPage } from '../web/explorer/support/openPage.ts'
import { describeTarball, nodes, readmeExample } from './support/packedProject.ts'

const project = describeTarball('casper', {
  dependencies: ['@noble/curves', '@noble/hashes', '@sinclair/typebox', 'casper-js-sdk', 'p-limit'],
  examples: 7,
})

describe.each(nodes)('in %s', (node) => {
  test('default: the program of the README proves an account from a trusted block', async () => {
    await using devnet = createDevnet({ accounts: 1 })
    await using endpoint = await startDevnet(devnet)
    const [account] = devnet.accounts
    const settings = {
      RPC_URL: endpoint.url,
      CHAIN_NAME: devnet.chainName,
      TRUSTED_BLOCK_HASH: devnet.genesisHash,
    }
    const run = (key: string) =>
      project.run(node, readmeExample('casper'), { ...settings, ACCOUNT_HASH: key })
    expect(await run(account?.accountHash ?? '')).toMatch(/^1 uref-[0-9a-f]{64}-007\n$/)
    expect(await run(`account-hash-${'00'.repeat(32)}`)).toBe('1 null\n')
    await using other = createDevnet({ accounts: 1, seed: 'another chain of the same name' })
    await using forger = await startDevnet(other)
    const forged = project.run(node, readmeExample('casper'), {
      ...settings,
      RPC_URL: forger.url,
      ACCOUNT_HASH: account?.accountHash ?? '',
    })
    await expect(forged).rejects.toThrow('VerificationError')
  })

  test('behavior: an error of any other entry is a WattfeedError of the first', async () => {
    const program = `
import { WattfeedError } from '@wattfeed/casper'
import { VerificationError } from '@wattfeed/casper/light-client'
import { loadSigner } from '@wattfeed/casper/transaction'
import { decodeKey } from '@wattfeed/casper/types'
const caught = (work) => { try { return work() } catch (error) { return error } }
const errors = [
  new VerificationError('head', 'x'),
  await loadSigner('missing.pem').catch((error) => error),
  caught(() => decodeKey(new Uint8Array())),
]
console.log(errors.map((error) => error instanceof WattfeedError).join(' '))`
    expect(await project.run(node, program)).toBe('true true true\n')
  })

  test('error: the store in SQLite is missing, not broken', async () => {
    const run = project.run(node, `await import('@wattfeed/casper/sqlite')`)
    await expect(run).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})

describe('in Bun', () => {
  test('default: the store keeps its file', async () => {
    const program = `
import { Type } from '@sinclair/typebox'
import { WattfeedError } from '@wattfeed/casper'
import { createSqliteStore, openStateFile, senderTables, StateFileError } from '@wattfeed/casper/sqlite'
using state = openStateFile('sent.db', { applicationId: 7, migrations: [senderTables] })
const destination = { chainName: 'casper-test', contract: '00'.repeat(32), account: 'account-hash-' + '00'.repeat(32) }
const store = createSqliteStore({ state, destination, purpose: Type.Object({ kind: Type.Literal('transfer') }) })
console.log(JSON.stringify(store.list()), StateFileError.prototype instanceof WattfeedError)`
    expect(await project.run(process.execPath, program)).toBe('[] true\n')
    expect(existsSync(join(project.folder, 'sent.db'))).toBeTrue()
  })
})

describe.if(hasBrowser)('in Chromium', () => {
  test('default: reads a value with its proof from a recorded node', async () => {
    await using node = await startRecordedNode()
    const program = `
import { absentAsNull, createAbsenceEvidenceFinder, createProvenState, createRpc, getStateRootHash } from '@wattfeed/casper'
const rpc = createRpc({ urls: ['${node.url}'], chainName: '${network.chain_name}', fetch: (...call) => fetch(...call) })
const { hash: stateRootHash } = await getStateRootHash(rpc)
const state = createProvenState({ rpc, evidence: createAbsenceEvidenceFinder({ rpc }) })
const decode = ({ ContractPackage }) => ContractPackage.versions.length
globalThis.read = await state.query({ stateRootHash, key: '${network.feed_registry_package}', decode, absent: absentAsNull })`
    await Bun.write(join(project.folder, 'page.js'), program)
    const { outputFiles } = await build({
      entryPoints: [join(project.folder, 'page.js')],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      minify: true,
      write: false,
    })
    const html = `<!doctype html><link rel="icon" href="data:,"><script type="module">${outputFiles[0]?.text}</script>`
    await using site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    })
    await using opened = await openPage(site.url.href)
    const read = await opened.page.waitForFunction('globalThis.read')
    expect([await read.jsonValue(), opened.faults]).toEqual([1, []])
  })
})

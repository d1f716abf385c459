import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readRecording } from '@wattfeed/casper-devnet/testing/recordings'
import { describeTarball, nodes, readmeExample } from './support/packedProject.ts'

const project = describeTarball('casper-devnet', {
  dependencies: ['@noble/ciphers', '@noble/curves', '@noble/hashes'],
  examples: 4,
})

describe('in Bun', () => {
  test('default: the program of the README runs a module on a chain, and serves it', async () => {
    const [recorded] = readRecording('host-function-vectors')
    const wasm = join(project.folder, 'module.wasm')
    await Bun.write(wasm, Uint8Array.fromHex(String(Object(recorded).session)))
    const printed = await project.run(process.execPath, readmeExample('casper-devnet'), { WASM: wasm })
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/rpc casper-devnet [0-9a-f]{64}\n2 2\n$/)
  })

  test('behavior: an error is a WattfeedError of the entry', async () => {
    const program = `
import { createDevnet, createSender, DevnetTransactionError, WattfeedError } from '@wattfeed/casper-devnet'
await using devnet = createDevnet({ accounts: 1 })
const target = { packageHash: '00'.repeat(32), entryPoint: 'count' }
const sent = createSender(devnet, devnet.accounts[0]).send({ target, args: {}, paymentMotes: 3_000_000_000n })
const error = await sent.catch((error) => error)
console.log(error instanceof WattfeedError, error instanceof DevnetTransactionError, error.code)`
    expect(await project.run(process.execPath, program)).toBe('true true devnet_transaction\n')
  })
})

test.each(nodes)('error: in %s it is missing, not broken', async (node) => {
  const run = project.run(node, `await import('@wattfeed/casper-devnet')`)
  await expect(run).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
})

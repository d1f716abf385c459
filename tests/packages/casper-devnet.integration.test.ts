import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { encodePlainCounter } from '@wattfeed/casper-devnet/testing/plainCounter'
import { $ } from 'bun'
import { snippetsOf } from '../support/snippets.ts'
import { describeTarball, nodes } from './support/packedProject.ts'

const readme = 'packages/casper-devnet/README.md'
const fixture = (name: string): string => join(import.meta.dir, '../../fixtures/devnet', name)

const project = describeTarball('casper-devnet', {
  dependencies: ['@noble/ciphers', '@noble/curves', '@noble/hashes', 'commander'],
  examples: 5,
})

const [counterTest = '', plainTest = '', ...others] = snippetsOf(readme, 'js')

test('behavior: its pages lead to files that the tarball has', async () => {
  const installed = join(project.folder, 'node_modules/@wattfeed/casper-devnet')
  for (const page of ['README.md', 'docs/devnet.md']) {
    const text = await Bun.file(join(installed, page)).text()
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path = '']) => path)
    expect(links.filter((path) => !existsSync(join(installed, page, '..', path)))).toEqual([])
    expect(page !== 'README.md' || links.includes('docs/devnet.md')).toBe(true)
  }
})

describe('in Bun', () => {
  test.each([
    ['Counter.wasm', Bun.file(fixture('Counter.wasm')), counterTest, 'toBe(8)'],
    ['PlainCounter.wasm', encodePlainCounter(), plainTest, 'parsed).toBe(1)'],
  ])(
    'default: the test of the README with %s passes, and fails for another count',
    async (name, wasm, example, expected) => {
      await Bun.write(join(project.folder, name), wasm)
      const outcome = async (text: string): Promise<string> => {
        await Bun.write(join(project.folder, 'counter.test.js'), text)
        const { stderr } = await $`${process.execPath} test counter.test.js`
          .cwd(project.folder)
          .nothrow()
          .quiet()
        return /^ *(\d pass\n \d fail)$/m.exec(stderr.toString())?.[1] ?? stderr.toString()
      }
      expect(others).toEqual([])
      expect(await outcome(example)).toBe('1 pass\n 0 fail')
      const wrong = expected.replace(/\d/, '9')
      expect(await outcome(example.replace(expected, wrong))).toBe('0 pass\n 1 fail')
    },
  )

  test('default: the other program of the README moves the time', async () => {
    const [example = '', ...others] = snippetsOf(readme, 'ts')
    expect(others).toEqual([])
    const printed = await project.run(process.execPath, example)
    const days = (Date.parse(printed.trim()) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(30)
  })

  test('default: npx runs the command of the package, in Bun', async () => {
    const env = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` }
    const { stdout } = await $`npx casper-devnet --help`.cwd(project.folder).env(env).quiet()
    expect(stdout.toString()).toStartWith('Usage: casper-devnet [options] [command]\n')
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

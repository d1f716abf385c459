import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { cl, createDevnet } from '@wattfeed/casper-devnet'
import { readPage } from '../support/snippets.ts'

const readme = readPage('packages/casper-devnet/README.md')

/** Integers that the table writes as `…`. */
const likeU32 = ['i32', 'i64', 'u8', 'u64', 'u128', 'u256']

describe('README.md', () => {
  test('default: it has each function of cl, and no other', () => {
    const named = new Set([...readme.matchAll(/\bcl\.(\w+)/g)].map(([, name = '']) => name))
    expect([...named, ...likeU32].sort()).toEqual(Object.keys(cl).sort())
  })

  test('default: the versions of tools are those that tests use', () => {
    const { devDependencies } = JSON.parse(readPage('packages/casper-devnet/package.json'))
    expect(readme).toContain(`| casper-js-sdk ${devDependencies['casper-js-sdk']} |`)
    const [, odra] = /^odra = \{ version = "=([\d.]+)"/m.exec(readPage('contracts/Cargo.toml')) ?? []
    expect(readme).toContain(`| Odra ${odra} |`)
  })
})

test('docs/devnet.md > default: it has each method that no node has', async () => {
  await using devnet = createDevnet({ accounts: 1 })
  const methods = memberAt(await devnet.call('rpc.discover'), 'result', 'schema', 'methods')
  const own = (methods as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name.startsWith('devnet_'))
  const shown = [...readPage('docs/devnet.md').matchAll(/\| `(devnet_\w+)`/g)].map(([, name]) => name)
  expect(shown).toEqual(own)
})

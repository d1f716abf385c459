import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { systemEntryPoints } from '../src/chain/systemEntryPoints.ts'

test('default: docs/devnet.md lists the entry points of the auction, which are not supported', () => {
  const page = readFileSync(new URL('../../../docs/devnet.md', import.meta.url), 'utf8')
  const [, listed = ''] = /entry point of the auction contract fails[^:]*:([^.]*)\./.exec(page) ?? []
  const names = Array.from(listed.matchAll(/`([a-z_]+)`/g), ([, name]) => name)
  expect(names).toEqual([...systemEntryPoints.auction.keys()].map((name) => name.trim()).sort())
})

import { expect, test } from 'bun:test'
import { parseSettings } from '../../../src/runtime/settings/settings.ts'
import { mcpSettings } from '../../../src/server/settings.ts'
import { readPage, snippetsOf } from '../../support/snippets.ts'
import { createTestApp } from '../testApp.ts'
import { connectTo } from './mcpClient.ts'

const PAGE = 'docs/mcp.md'

test('default: the page lists the tools', async () => {
  const datasets = [{ read: async () => null }]
  const client = await connectTo(createTestApp({ datasets }), '2026-07-28')
  const { tools } = await client.listTools()
  const shown = [...readPage(PAGE).matchAll(/^\| `(\w+_\w+)` \| (?!requests|pages)/gm)].map(
    ([, name]) => name,
  )
  expect(shown).toEqual(tools.map(({ name }) => name))
})

test('default: its settings for assistants name the endpoint and the command', () => {
  const [http, stdio] = snippetsOf(PAGE, 'json').map((text) => JSON.parse(text).mcpServers.wattfeed)
  expect(http).toEqual({ type: 'http', url: 'http://localhost:4030/mcp' })
  expect(stdio).toMatchObject({ command: 'wattfeed', args: ['mcp'] })
  const settings = parseSettings(mcpSettings, { ...stdio.env, TRUSTED_BLOCK_HASH: 'ab'.repeat(32) })
  expect(settings.trustedBlockHash).toBe('ab'.repeat(32))
})

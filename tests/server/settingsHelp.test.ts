import { expect, test } from 'bun:test'
import { formatSettingsTable } from '../../src/runtime/formatSettings.ts'
import { readConfig, serverSettings } from '../../src/server/config.ts'
import { settingsHelp } from '../../src/server/settingsHelp.ts'

test('default: names every setting that is read, and no other', () => {
  const read: string[] = []
  readConfig(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => {
          read.push(String(name))
          return undefined
        },
      },
    ),
  )
  const named = [...settingsHelp.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name)
  expect(named).toEqual(read)
})

test('default: the table of the README is made from the same declarations', async () => {
  const readme = await Bun.file(new URL('../../README.md', import.meta.url)).text()
  expect(readme).toContain(`\n\n${formatSettingsTable(serverSettings)}\n\n`)
})

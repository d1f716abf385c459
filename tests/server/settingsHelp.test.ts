import { expect, test } from 'bun:test'
import { formatSettingsTable } from '../../src/runtime/formatSettings.ts'
import { readConfig, serverSettings } from '../../src/server/config.ts'
import { settingsHelp } from '../../src/server/settingsHelp.ts'
import { namesRead } from '../support/namesRead.ts'

test('default: names every setting that is read, and no other', () => {
  const named = [...settingsHelp.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name)
  expect(named).toEqual(namesRead(readConfig))
})

test('default: the table of docs/deploy.md is made from the same declarations', async () => {
  const page = await Bun.file(new URL('../../docs/deploy.md', import.meta.url)).text()
  expect(page).toContain(`\n\n${formatSettingsTable(serverSettings)}\n\n`)
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { agentSettings, readAgentSettings } from '../../src/agent/settings/agentSettings.ts'
import { parseSettings } from '../../src/runtime/settings/settings.ts'
import { serverSettings } from '../../src/server/settings.ts'
import { findProgram } from '../support/installed.ts'
import { runToEnd, type Settings } from '../support/program.ts'
import { canBoot, type Machine, startMachine } from './support/machine.ts'
import { readDeploy } from './support/proxies.ts'

const compose = findProgram('docker-compose', 'REQUIRE_COMPOSE')

const examples = { 'server.env': serverSettings, 'agent.env': agentSettings }
const files = Object.keys(examples) as (keyof typeof examples)[]

/** An example with the defaults as values: each line that names a setting without its "#". */
const uncommented = (file: string): string => readDeploy(file).replace(/^#(?=[A-Z_]+=)/gm, '')

/** The settings that an operator sees in a file. */
const settingsIn = (text: string): Settings =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )

/** Settings that Compose passes to a program. */
async function readByCompose(folder: Folder, text: string): Promise<Settings> {
  folder.write('some.env', text)
  const service = { image: 'any', env_file: './some.env' }
  folder.write('compose.yaml', JSON.stringify({ version: '3.8', services: { any: service } }))
  const { stdout } = await runToEnd(
    [compose.path, '-f', 'compose.yaml', 'config'],
    { HOME: folder.path },
    folder.path,
  )
  return Object(Bun.YAML.parse(stdout)).services.any.environment
}

/** Settings that systemd passes to a program. */
async function readBySystemd(machine: Machine, text: string): Promise<Settings> {
  const unit = `[Service]
Type=oneshot
EnvironmentFile=/run/some.env
ExecStart=/usr/bin/env
StandardOutput=truncate:/run/some.out`
  await machine.write('/run/some.env', text)
  await machine.write('/run/systemd/system/some.service', unit)
  const stdout = await machine.run('systemctl daemon-reload; systemctl start some; cat /run/some.out')
  const names = Object.keys(settingsIn(text))
  return Object.fromEntries(Object.entries(settingsIn(stdout)).filter(([name]) => names.includes(name)))
}

describe.each(files)('deploy/%s', (file) => {
  const shown = settingsIn(uncommented(file))

  test('default: it has each setting that neither the unit nor the compose file sets, and no other', () => {
    const fixed = {
      'server.env': ['HOST', 'PORT'],
      'agent.env': ['ATTESTER_KEY_PATH', 'AGENT_STATE_DIR', 'AGENT_HOST', 'AGENT_PORT'],
    }
    const all = Object.keys(examples[file].properties)
    expect(Object.keys(shown)).toEqual(all.filter((name) => !fixed[file].includes(name)))
    const set = /^Environment=(.*)$/m.exec(
      readDeploy(`systemd/${file === 'agent.env' ? 'wattfeed-agent' : 'wattfeed@'}.service`),
    )?.[1]
    expect([...(set?.match(/\b[A-Z_]+(?==)/g) ?? [])].sort()).toEqual(fixed[file].toSorted())
  })

  test('default: each line is explained', () => {
    const lines = readDeploy(file).split('\n')
    const unexplained = lines.filter(
      (line, at) => /^#?[A-Z_]+=/.test(line) && !lines[at - 1]?.startsWith('# '),
    )
    expect(unexplained).toEqual([])
  })
})

test('default: the values that server.env shows are the defaults', () => {
  expect(parseSettings(serverSettings, settingsIn(uncommented('server.env')))).toEqual(
    parseSettings(serverSettings, {}),
  )
})

test('default: the values that agent.env shows are the defaults, on the test network', () => {
  const none = { writes: false, fetches: false }
  const shown = readAgentSettings(settingsIn(uncommented('agent.env')), none)
  expect(shown).toEqual(readAgentSettings({}, none))
})

test('default: agent.env lacks only the keys', () => {
  const all = { writes: true, fetches: true }
  const shown = settingsIn(readDeploy('agent.env'))
  expect(() => readAgentSettings({ ...shown, ATTESTER_KEY_PATH: 'key' }, all)).toThrow(
    /^EIA_API_KEY is not set.*$/,
  )
  const settings = readAgentSettings({ ...shown, ATTESTER_KEY_PATH: 'key', EIA_API_KEY: 'any' }, all)
  expect(settings.casperChainName).toBe('casper-test')
})

describe('programs that read the files', () => {
  let folder: Folder
  beforeAll(() => {
    folder = createFolder()
  })
  afterAll(() => folder[Symbol.dispose]())

  /** What the head of the files warns of. */
  const unclear = 'A=b # c\nD="e\\n"\n'

  test.skipIf(!compose.isInstalled)('behavior: Compose reads them as they look', async () => {
    for (const file of files)
      expect(await readByCompose(folder, uncommented(file))).toEqual(settingsIn(uncommented(file)))
    expect(await readByCompose(folder, unclear)).toEqual({ A: 'b', D: 'e\n' })
  })

  test.skipIf(!canBoot)('behavior: systemd reads them as they look', async () => {
    await using machine = await startMachine()
    for (const file of files)
      expect(await readBySystemd(machine, uncommented(file))).toEqual(settingsIn(uncommented(file)))
    expect(await readBySystemd(machine, unclear)).toEqual({ A: 'b # c', D: 'e\\n' })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chainSettings } from '../../src/runtime/settings/chainSettings.ts'
import { binary } from '../support/binary.ts'
import { bunWithProtocol } from '../support/bunWithProtocol.ts'
import { findProgram } from '../support/installed.ts'
import { nextLook } from '../support/nextLook.ts'
import { hasNginx } from '../support/nginx.ts'
import { type RunningProgram, type Settings, spawnProgram } from '../support/program.ts'
import { snippetsOf } from '../support/snippets.ts'
import { canBoot, type Machine, startMachine } from './support/machine.ts'
import { hasPrometheus } from './support/prometheus.ts'

const compose = findProgram('docker-compose', 'REQUIRE_COMPOSE')
const root = join(import.meta.dir, '../..')

/** What needs a package registry or the engine of Docker. */
const cannotRun = /^(?:apt-get|npx|docker) .*\n/gm

/** The blocks of the page, as printed. */
const blocks = snippetsOf('docs/install.md', 'sh')
const [
  build,
  units,
  start,
  check,
  nginx,
  files,
  doctor,
  agent,
  checkAgent,
  prometheus,
  update,
  composeFiles,
  composeUp,
] = blocks.map((block) => block.replace(cannotRun, ''))

describe.skipIf(!canBoot)('docs/install.md, on a machine with systemd', () => {
  let machine: Machine
  let bench: RunningProgram
  let settings: Settings
  let attested: string
  let unattested: string
  /** What the page's commands printed, and what they are compared with. */
  let printed: Record<'servers' | 'unedited' | 'findings' | 'agent', string>

  /** Runs commands in a copy of the repository. */
  const run = (commands = ''): Promise<string> => machine.run(commands, root)

  /** Runs a command until it prints a text. */
  async function until(text: string, command: string): Promise<string> {
    for (;;) {
      const output = await run(`${command.trim()} || true`)
      if (output.includes(text)) return output
      await nextLook()
    }
  }

  /** Makes `editor` a program that writes these settings, each on the line that the example has for it. */
  async function edit(names: readonly string[], others: Settings = {}): Promise<void> {
    const values = { ...Object.fromEntries(names.map((name) => [name, settings[name]])), ...others }
    const lines = Object.entries(values).map(
      ([name, value]) => `grep -q '^#\\?${name}=' "$1"; sed -i 's|^#\\?${name}=.*|${name}=${value}|' "$1"`,
    )
    await machine.write('/usr/local/bin/editor', ['#!/bin/sh -e', ...lines, ''].join('\n'), '755')
  }

  beforeAll(async () => {
    machine = await startMachine()
    const command = [...machine.inNetwork, ...bunWithProtocol, join(import.meta.dir, 'support/runBench.ts')]
    bench = spawnProgram(command, { env: { PATH: process.env.PATH ?? '' }, cwd: root })
    const started = JSON.parse(await bench.line('CASPER_RPC_URL'))
    settings = started.settings
    ;[attested, unattested] = started.feeds
    await run(`mkdir -p dist; cp ${binary} dist/wattfeed`)
    await run(build)
    await run(units)

    const chain = Object.keys(chainSettings).filter((name) => name in settings)
    await edit([...chain, 'RPC_TIMEOUT_MS', 'REQUEST_DEADLINE_MS'])
    await run(start)
    const servers = await run(check?.replace('EIA.PET.PRICE.WTI.DAILY', attested))
    await machine.write(
      join(root, 'secret_key.pem'),
      readFileSync(String(settings.ATTESTER_KEY_PATH), 'utf8'),
    )
    await machine.write(join(root, 'feeds.json'), readFileSync(String(settings.FEEDS_FILE), 'utf8'))
    await edit([])
    await run(files)
    await run(agent)
    const unedited = await until('is not set', 'journalctl --no-pager --unit wattfeed-agent')
    await edit([...chain, 'RPC_TIMEOUT_MS', 'EIA_API_KEY', 'EIA_BASE_URL'], {
      FEEDS_FILE: '/etc/wattfeed/feeds.json',
    })
    await run(files)
    const findings = await run(doctor)
    const folder = '/var/lib/wattfeed-agent'
    const age = `${process.execPath} ${new URL('support/ageState.ts', import.meta.url).pathname} ${folder}`
    await run(
      `systemctl disable --now wattfeed-agent; ${age}; chown -R --reference=${folder} ${folder}/*; ${agent}`,
    )
    // The journal may have the first line a moment after the agent serves its metrics.
    printed = { servers, unedited, findings, agent: await until('"msg":"starting"', checkAgent ?? '') }
  })
  afterAll(async () => {
    await bench?.kill('SIGTERM')
    await machine?.[Symbol.asyncDispose]()
  })

  test('default: both servers run, are healthy, and serve a value', () => {
    expect(printed.servers.match(/active \(running\)/g)).toHaveLength(2)
    for (const text of ['"status":"ok"', '"ready":true', `"feed_id":"${attested}"`, 'wattfeed_feeds 2\n'])
      expect(printed.servers).toContain(text)
  })

  test('default: the agent runs, is healthy, and attests a value that the servers serve', async () => {
    expect(printed.agent.match(/active \(running\)/g)).toHaveLength(1)
    for (const text of ['"status":"ok"', 'wattfeed_agent_feeds 2\n', '"msg":"starting"'])
      expect(printed.agent).toContain(text)
    const served = await until('"period"', `curl -s http://127.0.0.1:4040/v1/feeds/${unattested}`)
    expect(JSON.parse(served)).toMatchObject({ feed_id: unattested, value: expect.any(Number) })
  })

  test('default: the doctor finds nothing to mend before the agent runs', () => {
    expect(printed.findings).toContain('the agent can run')
    expect(printed.findings).not.toContain('FAILED')
  })

  test('error: the log of an agent whose settings nobody edited names the missing one', () => {
    expect(printed.unedited).toContain('EIA_API_KEY is not set: it is free at https://www.eia.gov/')
  })

  test('behavior: no program runs as root, and root alone may read settings and key', async () => {
    const users = await run('ps -eo user,args | grep "[/]usr/local/bin/wattfeed"')
    expect(users.match(/^root/gm)).toBeNull()
    expect(users.trim().split('\n')).toHaveLength(3)
    expect(await run('stat -c "%a %U %n" /etc/wattfeed/*')).toBe(
      `600 root /etc/wattfeed/agent.env
600 root /etc/wattfeed/attester.pem
644 root /etc/wattfeed/feeds.json
600 root /etc/wattfeed/server.env
`,
    )
    // The agent warns of a key that others can read.
    expect(await run('journalctl --no-pager --unit wattfeed-agent')).not.toContain('"level":40')
  })

  test('behavior: the programs restart one after another', async () => {
    const processes = 'systemctl show --property MainPID wattfeed@4030 wattfeed@4040 wattfeed-agent'
    const before: string[] = (await run(processes)).match(/\d+/g) ?? []
    await run(update)
    const after: string[] = (await run(processes)).match(/\d+/g) ?? []
    expect([before.length, after.length, after.filter((process) => before.includes(process))]).toEqual([
      3,
      3,
      [],
    ])
  })

  test.skipIf(!hasNginx)('default: nginx serves them', async () => {
    expect(await run(nginx)).toContain('"status":"ok"')
  })

  test.skipIf(!hasPrometheus)('default: Prometheus scrapes servers and agent', async () => {
    await run(prometheus)
    await run('sed -i s/15s/1s/ /etc/prometheus/prometheus.yml; systemctl restart prometheus')
    const up = "promtool query instant http://127.0.0.1:9090 'count by (job) (up == 1)'"
    // Each is scraped at a moment of its own.
    await until('{job="wattfeed-agent"} => 1 ', up)
    expect(await until('{job="wattfeed-server"} => 2 ', up)).toContain('{job="wattfeed-agent"} => 1 ')
  })

  test.skipIf(!compose.isInstalled)('default: Compose accepts the files that the commands make', async () => {
    await machine.write(join(root, 'secret_key.pem'), 'key')
    await edit(['CASPER_CHAIN_NAME'])
    await run(composeFiles)
    expect(await run('stat -c "%a %u %n" server.env agent.env attester.pem')).toBe(
      '600 0 server.env\n600 0 agent.env\n400 65532 attester.pem\n',
    )
    const [, options = ''] = /^docker compose (.*) up /m.exec(blocks.at(-1) ?? '') ?? []
    const { services } = Object(Bun.YAML.parse(await run(`${compose.path} ${options} config`)))
    expect(Object.keys(services).sort()).toEqual(['agent', 'nginx', 'server1', 'server2'])
    for (const name of ['agent', 'server1'])
      expect(services[name].environment.CASPER_CHAIN_NAME).toBe(settings.CASPER_CHAIN_NAME)
    expect(composeUp).toContain('curl')
  })
})

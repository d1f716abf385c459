// cspell:ignore slep dropp
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { casperTest } from '../../packages/wattfeed/src/client/networks.ts'
import { agentSettings, readAgentSettings } from '../../src/agent/settings/agentSettings.ts'
import { parseSettings } from '../../src/runtime/settings/settings.ts'
import { serverSettings } from '../../src/server/settings.ts'
import { executablePath } from '../python/python.ts'
import { findProgram } from '../support/installed.ts'
import { runToEnd } from '../support/program.ts'
import { deployFiles, readDeploy } from './support/proxies.ts'

const compose = findProgram('docker-compose', 'REQUIRE_COMPOSE')
const systemd = findProgram('systemd-analyze', 'REQUIRE_SYSTEMD')
const kubernetesValidate = join(dirname(executablePath), 'kubernetes-validate')
const hasKubernetesValidate = existsSync(kubernetesValidate) || process.env.REQUIRE_PYTHON === '1'
if (!hasKubernetesValidate) console.warn(`skipped: ${kubernetesValidate}, because it is not installed`)

/** Parsed YAML; the tests know its structure. */
// biome-ignore lint/suspicious/noExplicitAny: parsed YAML
type Parsed = any

type Environment = Record<string, string>

let folder: Folder
beforeAll(() => {
  folder = createFolder()
})
afterAll(() => folder[Symbol.dispose]())

/** Maximum time of a program's exit after SIGTERM. */
const GRACE_S = 8

const documents: Parsed[] = deployFiles('kubernetes').flatMap((path) =>
  readDeploy(path)
    .split(/^---$/m)
    .map((text) => Bun.YAML.parse(text)),
)
const ofKind = (kind: string): Parsed[] => documents.filter((document) => document.kind === kind)
const workloads = [...ofKind('Deployment'), ...ofKind('StatefulSet')]
const [chain] = ofKind('ConfigMap')

/** The environment of a container in Kubernetes. */
const containerEnvironment = (workload: Parsed): Environment => ({
  ...chain.data,
  ...Object.fromEntries(
    workload.spec.template.spec.containers[0].env.map(({ name, value = 'secret' }: Environment) => [
      name,
      value,
    ]),
  ),
})

const services: Parsed = Object(Bun.YAML.parse(readDeploy('compose.yaml'))).services

/** The environment of a service in the compose file, without its file of settings. */
const serviceEnvironment = (name: string): Environment => services[name].environment

/** The settings of a unit file. */
const unitEnvironment = (unit: string): Environment =>
  Object.fromEntries(
    [...readDeploy(`systemd/${unit}`).matchAll(/^Environment=(.*)$/gm)]
      .flatMap(([, line = '']) => line.replaceAll('%i', '4030').split(' '))
      .map((word) => word.split('=')),
  )

/** The settings that the operator of an agent adds. */
const agentEnvironment = { ...chain.data, EIA_API_KEY: 'secret' }

describe('the settings in deploy/', () => {
  const [server, agent] = workloads

  test('default: server and agent accept them', () => {
    const servers = [
      containerEnvironment(server),
      serviceEnvironment('server1'),
      unitEnvironment('wattfeed@.service'),
    ]
    expect(servers.map((environment) => parseSettings(serverSettings, environment).port)).toEqual([
      4030, 4030, 4030,
    ])
    const agents = [
      containerEnvironment(agent),
      serviceEnvironment('agent'),
      unitEnvironment('wattfeed-agent.service'),
    ]
    const needs = { writes: true, fetches: true }
    const read = agents.map((environment) =>
      readAgentSettings({ ...agentEnvironment, ...environment }, needs),
    )
    expect(read.map(({ agentPort, agentHost }) => `${agentHost}:${agentPort}`)).toEqual([
      '0.0.0.0:4031',
      '0.0.0.0:4031',
      '127.0.0.1:4031',
    ])
  })

  test('behavior: every setting in the files is declared', () => {
    const declared = [serverSettings, agentSettings].flatMap(({ properties }) => Object.keys(properties))
    // The compose file's own, the tests', and systemd's.
    const others = /^(PROXY_ADDRESS|ATTESTER_KEY_FILE|(REQUIRE|AF)_\w+)$/
    const named = deployFiles().flatMap((path) => readDeploy(path).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [])
    const environments = [
      ...[containerEnvironment(server), serviceEnvironment('server1'), unitEnvironment('wattfeed@.service')],
      ...[
        containerEnvironment(agent),
        serviceEnvironment('agent'),
        unitEnvironment('wattfeed-agent.service'),
      ],
    ].flatMap(Object.keys)
    const unknown = [...named, ...environments].filter(
      (name) => !declared.includes(name) && !others.test(name),
    )
    expect([...new Set(unknown)]).toEqual([])
    expect(named.length).toBeGreaterThan(20)
  })

  test('behavior: the chain is the public test network', () => {
    expect(chain.data).toEqual({
      CASPER_RPC_URL: casperTest.rpcUrls.join(),
      CASPER_CHAIN_NAME: casperTest.chainName,
      FEED_REGISTRY_PACKAGE_HASH: casperTest.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: casperTest.attestationRegistryPackageHash,
    })
  })

  test('behavior: proxies and Prometheus use the ports of the systemd units', () => {
    const ports = (path: string, pattern: RegExp) =>
      [...readDeploy(path).matchAll(pattern)].map(([, port]) => port)
    const run = ports('systemd/wattfeed@.service', /wattfeed@(\d+)/g)
    expect(run).toEqual(['4030', '4040'])
    expect(ports('nginx/upstreams.conf', /server 127\.0\.0\.1:(\d+) max/g)).toEqual([...run, ...run])
    expect(ports('varnish/wattfeed.vcl', /\.port = "(\d+)"/g)).toEqual(run)
    expect(ports('prometheus/prometheus.yml', /'127\.0\.0\.1:(\d+)'/g)).toEqual([...run, '4031'])
  })
})

describe('Kubernetes', () => {
  // The first version whose kubelet can sleep before SIGTERM, and the newest.
  test.skipIf(!hasKubernetesValidate).each(['1.30', '1.37'])(
    'default: manifests are valid in %s',
    async (version) => {
      const files = deployFiles('kubernetes').map((path) => join(import.meta.dir, '../../deploy', path))
      const validate = (paths: readonly string[]) =>
        runToEnd([kubernetesValidate, '--strict', '--no-warn', '-k', version, ...paths])
      expect(await validate(files)).toMatchObject({ exitCode: 0 })
      const faulty = join(folder.path, 'faulty.yaml')
      await Bun.write(faulty, readDeploy('kubernetes/server.yaml').replace('sleep:', 'slep:'))
      expect((await validate([faulty])).exitCode).toBe(1)
    },
  )

  test('behavior: no container runs as root, writes its own files, or can gain privileges', () => {
    for (const { spec } of workloads) {
      const { securityContext, containers, automountServiceAccountToken } = spec.template.spec
      expect([securityContext, automountServiceAccountToken]).toMatchObject([
        { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        false,
      ])
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(Object.keys(container.resources.limits)).toEqual(['memory'])
      }
    }
  })

  test('behavior: a server is probed at its own endpoints, and has time to shut down', () => {
    const [{ spec }] = ofKind('Deployment')
    const { containers, terminationGracePeriodSeconds } = spec.template.spec
    const [{ livenessProbe, readinessProbe, lifecycle, ports }] = containers
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/health', '/ready'])
    expect(ports[0].containerPort).toBe(4030)
    expect(terminationGracePeriodSeconds).toBeGreaterThan(lifecycle.preStop.sleep.seconds + GRACE_S)
    expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
  })

  test('behavior: services, budgets and policies select existing pods', () => {
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels)
    const selectors = [
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ]
    expect(selectors).toHaveLength(5)
    for (const selector of selectors) expect(labels).toContainEqual(selector)
  })

  test('behavior: there is one agent, and both its keys are secrets', () => {
    const [{ spec }] = ofKind('StatefulSet')
    const text = readDeploy('kubernetes/agent.yaml')
    expect([spec.replicas, spec.volumeClaimTemplates[0].spec.accessModes]).toEqual([1, ['ReadWriteOncePod']])
    expect(spec.template.spec.containers[0].env).toContainEqual({
      name: 'EIA_API_KEY',
      valueFrom: { secretKeyRef: { name: 'wattfeed-agent', key: 'EIA_API_KEY' } },
    })
    expect(text).not.toContain('kind: Secret')
  })
})

describe('docker-compose', () => {
  test.skipIf(!compose.isInstalled)('default: accepts the file, and rejects an invalid one', async () => {
    for (const file of ['server.env', 'agent.env']) await Bun.write(join(folder.path, file), readDeploy(file))
    const config = async (text: string) => {
      await Bun.write(join(folder.path, 'compose.yaml'), text)
      const command = [
        compose.path,
        '-f',
        'compose.yaml',
        '--profile',
        'proxy',
        '--profile',
        'agent',
        'config',
      ]
      return runToEnd(command, { HOME: folder.path }, folder.path)
    }
    const text = readDeploy('compose.yaml')
    const taken = await config(text)
    expect(taken).toMatchObject({ exitCode: 0 })
    const { services: resolved }: Parsed = Bun.YAML.parse(taken.stdout)
    expect(Object.keys(resolved).sort()).toEqual(['agent', 'nginx', 'server1', 'server2'])
    for (const service of Object.values<Parsed>(resolved)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        stop_grace_period: '15s',
        healthcheck: expect.anything(),
      })
      expect(service.user).not.toStartWith('0')
    }
    expect((await config(text.replace('cap_drop', 'cap_dropp'))).exitCode).toBe(1)
  })

  test('behavior: mounted files exist', () => {
    const mounted = [...readDeploy('compose.yaml').matchAll(/- \.\/deploy\/(\S+?):/g)].map(
      ([, path = '']) => path,
    )
    expect(mounted).toHaveLength(2)
    expect(mounted.filter((path) => !deployFiles().includes(path))).toEqual([])
  })
})

describe.skipIf(!systemd.isInstalled)('systemd-analyze', () => {
  /** A name that the check must find in a folder, because the program is not installed here. */
  async function place(unit: string, text = readDeploy(`systemd/${unit}`)): Promise<string> {
    const path = join(folder.path, unit)
    await Bun.write(path, text.replaceAll('/usr/local/bin/wattfeed', process.execPath))
    return path
  }
  const analyze = (...args: string[]) => runToEnd([systemd.path, ...args])

  test.each(['wattfeed@.service', 'wattfeed-agent.service'])('default: %s is valid', async (unit) => {
    const { exitCode, stdout, stderr } = await analyze('verify', '--man=no', await place(unit))
    expect([exitCode, stdout + stderr]).toEqual([0, ''])
    const faulty = readDeploy(`systemd/${unit}`).replace('RestartSec', 'RestartSecs')
    expect((await analyze('verify', '--man=no', await place(unit, faulty))).stderr).toContain('RestartSecs')
  })

  test.each(['wattfeed@.service', 'wattfeed-agent.service'])(
    'behavior: %s exposes 1.2 of 10 at most',
    async (unit) => {
      const security = (path: string) =>
        analyze('security', '--offline=true', '--threshold=12', '--no-pager', path)
      expect((await security(await place(unit))).exitCode).toBe(0)
      const weaker = readDeploy(`systemd/${unit}`)
        .replace('PrivateDevices=yes', '')
        .replace('ProtectClock=yes', '')
      expect((await security(await place(unit, weaker))).exitCode).not.toBe(0)
    },
  )

  test.each(['wattfeed@.service', 'wattfeed-agent.service'])('behavior: %s has time to shut down', (unit) => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(readDeploy(`systemd/${unit}`))?.[1])).toBeGreaterThan(
      GRACE_S,
    )
  })
})

test('deploy/README.md > default: its table names the check of every file', () => {
  const listed = [...readDeploy('README.md').matchAll(/^\| `([\w./@-]+)`/gm)].map(([, path = '']) => path)
  expect(listed.sort()).toEqual(
    deployFiles()
      .filter((path) => path !== 'README.md')
      .sort(),
  )
})

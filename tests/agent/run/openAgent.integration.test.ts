import { expect, test } from 'bun:test'
import { sleep } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { createVerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { WTI } from 'wattfeed/testing/world'
import type { AgentEvent, Report } from '../../../src/agent/events.ts'
import { readChainFeed } from '../../../src/agent/look/observe.ts'
import { openAgent } from '../../../src/agent/run/openAgent.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { createTestLog } from '../../server/testApp.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** Opens an agent in a dry run, on a node. */
const open = (
  { network }: Pick<Awaited<ReturnType<typeof createVerifiedWorld>>, 'network'>,
  url: string,
  warn: (fields: object) => void = () => {},
  report: Report = () => {},
) =>
  openAgent({
    settings: readAgentSettings(
      {
        EIA_API_KEY: 'none',
        CASPER_RPC_URL: url,
        CASPER_CHAIN_NAME: network.chainName,
        FEED_REGISTRY_PACKAGE_HASH: network.feedRegistryPackageHash,
        ATTESTATION_REGISTRY_PACKAGE_HASH: network.attestationRegistryPackageHash,
        VERIFY: 'proofs',
        ...patientSettings,
      },
      { writes: false, fetches: true },
    ),
    signer: null,
    isDryRun: true,
    isOnce: true,
    log: { ...silent, warn },
    report,
    platform: { fetch: (url, init) => fetch(url, init), now: Date.now, wait: sleep, random: Math.random },
    stop: new AbortController().signal,
    abandon: new AbortController().signal,
  })

test('behavior: warnings of a feed about the same are logged once, whatever their texts', async () => {
  await using world = await createVerifiedWorld()
  const warned: unknown[] = []
  const agent = open(
    world,
    await world.serve(world.world.devnet.call),
    (fields) => void warned.push(Object(fields).detail),
  )
  for (const hour of ['T01', 'T02', 'T03']) {
    const { settings } = await agent.openAttesting()
    settings.warnOnce('EIA.A', `a row for ${hour}`, 'rows')
  }
  const { warnOnce } = (await agent.openAttesting()).settings
  warnOnce('EIA.B', 'a row for T03', 'rows')
  warnOnce('EIA.A', 'another text')
  warnOnce('EIA.A', 'another text')
  expect(warned).toEqual(['a row for T01', 'a row for T03', 'another text'])
})

test('behavior: a lookup for sending, at an unverified root, does not affect verified reads', async () => {
  await using world = await createVerifiedWorld()
  const { devnet } = world.world
  const packageKey = `hash-${world.network.attestationRegistryPackageHash}`
  // Stands for a root that the node made up: it is not that of the newest block.
  const unverified = await devnet.call('chain_get_state_root_hash', {})
  await world.world.attest(world.world.owner, WTI, 7n)
  const lookedUpAt: unknown[] = []
  const readAt: unknown[] = []
  const watched: AnswerRpc = (method, params) => {
    const { key, state_identifier, state_root_hash } = Object(params)
    if (method === 'state_get_dictionary_item') readAt.push(state_root_hash)
    if (key === packageKey) lookedUpAt.push(Object(state_identifier).StateRootHash)
    return method === 'chain_get_state_root_hash' ? unverified : devnet.call(method, params)
  }
  const agent = open(world, await world.serve(watched))
  expect(await agent.openAttesting()).toMatchObject({
    outbox: { offersMany: true },
    settings: { offersMany: true },
  })
  await readChainFeed({ feed_id: WTI }, await agent.openView())
  const [verifiedRoot] = readAt
  expect(new Set(readAt)).toEqual(new Set([verifiedRoot]))
  expect(lookedUpAt).toContain(verifiedRoot)
})

test('behavior: the first view of the chain reports its protocol version, the next ones do not', async () => {
  await using world = await createVerifiedWorld()
  const events: AgentEvent[] = []
  const url = await world.serve(world.world.devnet.call)
  using agent = open(
    world,
    url,
    () => {},
    (event) => events.push(event),
  )
  for (const _ of [1, 2]) await agent.openView()
  expect(events).toEqual([
    { event: 'protocol_version', version: agent.client.status().protocolVersion ?? '' },
  ])
})

test('error: a checkpoint that cannot be kept is logged, and stops no read', async () => {
  await using world = await createVerifiedWorld({ eras: 2 })
  using folder = createFolder()
  const { log, lines } = createTestLog()
  const settings = readAgentSettings(
    {
      EIA_API_KEY: 'none',
      CASPER_RPC_URL: await world.serve(world.world.devnet.call),
      CASPER_CHAIN_NAME: world.network.chainName,
      FEED_REGISTRY_PACKAGE_HASH: world.network.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: world.network.attestationRegistryPackageHash,
      VERIFY: 'full',
      TRUSTED_BLOCK_HASH: world.genesisHash,
      CHECKPOINT_FILE: folder.path,
      ...patientSettings,
    },
    { writes: false, fetches: true },
  )
  using agent = openAgent({
    settings,
    signer: null,
    isDryRun: true,
    isOnce: true,
    log,
    report: () => {},
    platform: { fetch: (url, init) => fetch(url, init), now: Date.now, wait: sleep, random: Math.random },
    stop: new AbortController().signal,
    abandon: new AbortController().signal,
  })
  expect(await readChainFeed({ feed_id: WTI }, await agent.openView())).toMatchObject({
    claimant: expect.any(String),
  })
  expect(lines).toMatchObject([{ message: 'cannot save the checkpoint', fields: { path: folder.path } }])
})

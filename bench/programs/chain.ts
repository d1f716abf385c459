/** A chain behind real HTTP, in a separate process: `chain.ts '{"feeds":43,"delayMs":150}'`. */

import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { createRecordedRegistries } from '@wattfeed/casper-devnet/testing/recordings'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import type { ChainCommand, ChainInfo, ChainSettings } from '../chainProtocol.ts'

const settings: ChainSettings = JSON.parse(process.argv[2] ?? '{}')
const synthetic =
  settings.feeds === 'recorded' ? null : createSyntheticChain({ ...settings, feeds: settings.feeds })
for (let index = 1; index < (settings.values ?? 1); index++)
  synthetic?.attest(syntheticFeedId(0), { amount: BigInt(index), period: index })
if (settings.values !== undefined) synthetic?.advance()
const chain = synthetic ?? createRecordedRegistries()
const node = await startCountedNode(chain.answer, settings)
let nextAmount = 1n

function execute(command: ChainCommand): unknown {
  if (command.name === 'calls') return node.calls.byMethod()
  if (command.name === 'reset') return node.calls.reset()
  for (let index = 0; index < command.feeds; index++) change(command.name, syntheticFeedId(index))
  return synthetic?.advance()
}

function change(kind: 'attest' | 'register', feedId: string): void {
  if (kind === 'attest') synthetic?.attest(feedId, { amount: nextAmount++ })
  else synthetic?.register(feedId, { title: `Title ${nextAmount++}` })
}

process.on('message', (command: ChainCommand) => process.send?.(execute(command) ?? null))
process.on('disconnect', () => process.exit())

const info: ChainInfo = {
  settings: {
    CASPER_RPC_URL: node.url,
    CASPER_CHAIN_NAME: chain.chainName,
    FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
  },
}
process.send?.(info)

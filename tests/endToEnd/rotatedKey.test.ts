import { expect, test } from 'bun:test'
import { decodeHex } from '@wattfeed/base'
import { createGlobalState } from '@wattfeed/casper'
import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import { createDevnet } from '@wattfeed/casper-devnet'
import { encodeHostCalls, type HostCall } from '@wattfeed/casper-devnet/testing/engine/hostCalls'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createSender, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { errorOf } from '@wattfeed/testing/errorOf'
import { installRegistries } from 'wattfeed/testing/installRegistries'
import { registerArguments } from '../../packages/wattfeed/src/registry/calls.ts'
import { createRegistryContract } from '../../packages/wattfeed/src/registry/registryContract.ts'
import { createOutbox } from '../../src/agent/send/createOutbox.ts'
import { createAttestationStore } from '../../src/agent/state/attestationStore.ts'
import { stateOf } from '../../src/agent/state/openState.ts'
import { viewsOf } from '../agent/support/openView.ts'
import { createState } from '../support/state.ts'

const FEED_ID = 'TEST.FEED'
const feed = {
  decimals: 6,
  unit: '$/unit',
  title: 'A test feed',
  source: 'invented',
  route: 'test/feed',
  frequency: 'daily',
  description: 'An invented feed',
}
const THRESHOLD = { deployment: 0, keyManagement: 1 }

const hashBytes = ({ keyHash }: Signer): Uint8Array => decodeHex(keyHash.replace('account-hash-', ''), 'hash')

test('default: a key is rotated: the new one attests for the old account, the old one no longer does', async () => {
  using opened = createState('attest')
  let now = 1_800_000_000_000
  const tick = (): number => (now += 1_000)
  const devnet = createDevnet({ chainName: 'casper-net-1', accounts: 1, now: () => now })
  const spare = createDevnet({ seed: 'another', accounts: 1 }).accounts
  const [old] = await signersOf(devnet.accounts)
  const [own] = await signersOf(spare)
  if (old === undefined || own === undefined) throw new Error('the chain has no account')
  const path = opened.folder.write('new.pem', spare[0]?.secretKeyPem ?? '')
  const { signer: rotated } = await loadSigner(path, old.publicKey)
  expect(rotated).toMatchObject({
    accountHash: old.accountHash,
    initiator: old.accountHash,
    keyHash: own.keyHash,
  })

  const sender = createSender({
    answer: devnet.call,
    chainName: 'casper-net-1',
    now: tick,
    produceBlock: () => {},
  })
  const packages = await installRegistries(sender, { signer: old, account: old.accountHash })
  const registration = {
    target: { packageHash: packages.FeedRegistry, entryPoint: 'register_feed' },
    args: registerArguments(FEED_ID, feed),
    paymentMotes: 2_500_000_000n,
  }
  await sender.send([{ signer: old, ...registration }])

  const session = async (signer: Signer, ...calls: readonly HostCall[]): Promise<void> => {
    const target = { wasm: encodeHostCalls(calls) }
    const [executed] = await sender.send([{ signer, target, args: {}, paymentMotes: 5_000_000_000n }])
    expect(executed?.errorMessage).toBeNull()
  }
  const rpc = rpcOf(devnet.call)
  const hash = packages.AttestationRegistry
  let period = 20_260_101
  const state = stateOf(opened.file, {
    chainName: 'casper-net-1',
    contract: hash,
    account: old.accountHash,
  })
  const store = createAttestationStore(state, () => now)
  const attestAs = (signer: Signer) =>
    createOutbox({
      rpc,
      openView: viewsOf(
        {
          chainName: 'casper-net-1',
          feedRegistryPackageHash: packages.FeedRegistry,
          attestationRegistryPackageHash: hash,
        },
        devnet.call,
      ),
      signer,
      chainName: 'casper-net-1',
      registry: createRegistryContract(createGlobalState(rpc), 'AttestationRegistry', hash, tick),
      feedRegistry: packages.FeedRegistry,
      state,
      store,
      isFreshChain: true,
      report: () => {},
      paymentMotes: null,
      offersMany: true,
      now: tick,
      wait: async () => {},
    }).attest([{ feed_id: FEED_ID, period: period++, amount: 5n, source_hash: 'ab' }])

  expect(await errorOf(attestAs(rotated))).toMatchObject({ code: 'not_associated', weight: 0, threshold: 1 })
  await session(old, { name: 'add_associated_key', args: [hashBytes(own), 2] })
  await session(old, { name: 'set_action_threshold', args: [THRESHOLD.keyManagement, 2] })
  await attestAs(rotated)
  // The old key may still attest, but no longer manage keys.
  await attestAs(old)
  await session(old, { name: 'remove_associated_key', args: [hashBytes(own)], returns: 2 })
  await session(rotated, { name: 'set_action_threshold', args: [THRESHOLD.deployment, 2] })
  expect(await errorOf(attestAs(old))).toMatchObject({
    code: 'not_associated',
    weight: 1,
    threshold: 2,
  })
  await session(rotated, { name: 'remove_associated_key', args: [hashBytes(old)] })
  expect(await errorOf(attestAs(old))).toMatchObject({
    code: 'not_associated',
    weight: 0,
    threshold: 2,
  })
  expect(await attestAs(rotated)).toMatchObject({ executed: { errorMessage: null } })
  await devnet.stop()
})

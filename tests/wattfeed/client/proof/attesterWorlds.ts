import { installContract } from 'wattfeed/testing/installContract'
import { createRulesChain, type RulesChainOptions } from 'wattfeed/testing/rulesChain'
import { BRENT, type World, worldOn } from 'wattfeed/testing/world'
import {
  installArguments,
  packageKeyName,
  wiringArguments,
} from '../../../../packages/wattfeed/src/registry/installation.ts'
import type { RegistryName } from '../../../../packages/wattfeed/src/registry/layout.ts'
import { sessionArgs } from '../../../../src/operator/committee/sessionArgs.ts'
import { readWasm, wasmFolder } from '../../../../src/operator/contracts/wasmFile.ts'
import { readStub } from '../../../devnet/rules/readStub.ts'

/** Account hashes of the committee. The empty one stands for the owner. */
export const keyHashes = ['', 'b2', 'c3', 'd4', 'e5'].map((byte) => byte.repeat(32))

/** Makes the owner's account a committee: four of its five keys must sign from now on. */
export async function formCommittee({ owner, sender, tick }: World): Promise<void> {
  const [own = new Uint8Array(), ...added] = keyHashes.map((hex) =>
    Uint8Array.fromHex(hex === '' ? owner.keyHash.replace('account-hash-', '') : hex),
  )
  const { bytes: session } = await readWasm(wasmFolder, 'Committee')
  tick()
  const change = {
    current: [{ accountHash: own, weight: 1 }],
    next: [own, ...added].map((accountHash) => ({ accountHash, weight: 1 })),
    recovery: [],
    thresholds: { deployment: 4, keyManagement: 4 },
  }
  const call = {
    signer: owner,
    target: { session },
    args: sessionArgs(change),
    paymentMotes: 33_000_000_000n,
  }
  const [executed] = await sender.send([call])
  assertDone([executed?.errorMessage ?? null])
}

/** Registries without claims, with one feed that has one value. */
export async function createLegacyWorld(options: Pick<RulesChainOptions, 'protocol'> = {}): Promise<World> {
  const chain = await createRulesChain({ seed: 'legacy', ...options })
  const { owner, sender, devnet } = chain
  const install = async (name: RegistryName): Promise<string> =>
    installContract(
      sender,
      { signer: owner, account: owner.accountHash },
      {
        wasm: await readStub(`Legacy${name}`),
        args: installArguments(name, owner.accountHash),
        keyName: packageKeyName(name),
      },
    )
  const packages = {
    FeedRegistry: await install('FeedRegistry'),
    AttestationRegistry: await install('AttestationRegistry'),
    Gate: '',
  }
  const legacy = worldOn(chain, packages)
  const wiring = wiringArguments('AttestationRegistry', packages.FeedRegistry)
  assertDone([
    await legacy.call(owner, packages.AttestationRegistry, 'set_feed_registry', wiring),
    await legacy.register(owner, BRENT),
    await legacy.attest(owner, BRENT, 58_000_000n),
  ])
  for (let block = 0; block < 25; block++) devnet.produceBlock()
  return legacy
}

function assertDone(errors: readonly (string | null)[]): void {
  const error = errors.find((each) => each !== null)
  if (error !== undefined) throw new Error(`a call failed: ${error}`)
}

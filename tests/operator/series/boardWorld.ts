import { decodeHex } from '@wattfeed/base'
import { getStateRootHash, type Rpc } from '@wattfeed/casper'
import { clAddress, clBool, clString } from '@wattfeed/casper/types'
import { readContractWasm } from '@wattfeed/casper-devnet/testing/contractWasm'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { datasetFeedId, type Manifest, type SeriesQuery } from '@wattfeed/dataset'
import { createSeriesProof, type Snapshot } from 'wattfeed/series'
import { datasetFeed, rootOf } from 'wattfeed/testing/datasetSnapshot'
import { installContract } from 'wattfeed/testing/installContract'
import { createWorld, type World } from 'wattfeed/testing/world'
import { attestArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import { odraArguments } from '../../../packages/wattfeed/src/registry/installation.ts'
import { readContractState, stateSeedOf } from '../../../src/operator/contracts/contractState.ts'
import { proofOf } from '../../server/fakeClient.ts'

/** The registries and a board on an embedded chain. The owner attests roots. */
export interface BoardWorld extends World {
  rpc: Rpc
  /** Package hash of the board, 64 hex digits. */
  board: string
  /** Attests the root of a snapshot of a registered dataset. */
  attestRoot(manifest: Manifest): Promise<void>
}

/**
 * Registers the datasets of snapshots, attests their roots, and installs a board.
 *
 * @param world without datasets
 */
export async function createBoardWorld(manifests: readonly Manifest[], world?: World): Promise<BoardWorld> {
  return boardWorldOn(world ?? (await createWorld()), manifests)
}

async function boardWorldOn(world: World, manifests: readonly Manifest[]): Promise<BoardWorld> {
  const { owner, packages, devnet } = world
  const rpc = rpcOf(devnet.call, { chainName: devnet.chainName })
  const attestRoot = async (manifest: Manifest): Promise<void> => {
    const value = { feed_id: feedIdOf(manifest), ...rootOf(manifest) }
    assertExecuted(await world.call(owner, packages.AttestationRegistry, 'attest', attestArguments(value)))
  }
  for (const manifest of manifests) {
    assertExecuted(await world.register(owner, feedIdOf(manifest), datasetFeed(manifest)))
    await attestRoot(manifest)
  }
  const [first] = manifests
  const board = await installBoard(world, rpc, first === undefined ? '' : feedIdOf(first))
  return { ...world, rpc, board, attestRoot }
}

const feedIdOf = ({ route, frequency }: Manifest): string => datasetFeedId(route, frequency)

function assertExecuted(refused: string | null): void {
  if (refused !== null) throw new Error(refused)
}

/** Installs a board that reads directly. @param feedId a feed with a value, which checks the seed */
async function installBoard(
  { owner, packages, sender, tick }: World,
  rpc: Rpc,
  feedId: string,
): Promise<string> {
  tick()
  const { hash } = await getStateRootHash(rpc)
  const registry = await readContractState(rpc, 'AttestationRegistry', packages.AttestationRegistry, hash)
  const seed = decodeHex(stateSeedOf(registry), 'seed')
  const keyName = 'Board_package_hash'
  return installContract(
    sender,
    { signer: owner, account: owner.accountHash },
    {
      ...{ wasm: readContractWasm('Board'), keyName },
      args: {
        feed_registry: clAddress(`hash-${packages.FeedRegistry}`),
        attestation_registry: clAddress(`hash-${packages.AttestationRegistry}`),
        seed: { clType: { Option: { ByteArray: 32 } }, bytes: Uint8Array.of(1, ...seed) },
        feed_id: clString(feedId),
        ...odraArguments(keyName),
        odra_cfg_is_upgradable: clBool(false),
      },
    },
  )
}

/** The proof of a value as `--proof` writes it, but for the proof of the root, which no contract reads. */
export function documentOf(snapshot: Snapshot, query: SeriesQuery): Promise<object> {
  const { manifest } = snapshot
  const { amount, period, source_hash } = rootOf(manifest)
  const reading = { ...datasetFeed(manifest), feed_id: feedIdOf(manifest), value: Number(amount) }
  const root = proofOf({ ...reading, amount, period, source_hash, updated_at: 1 })
  return createSeriesProof({ root, query, snapshot })
}

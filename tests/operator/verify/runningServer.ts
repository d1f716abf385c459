import { createFolder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import type { FeedProof, FeedProofTrust } from 'wattfeed'
import { trustIn } from 'wattfeed/testing/provenFeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { WTI } from 'wattfeed/testing/world'
import { wattfeed } from '../../support/binary.ts'
import { type Settings, startProgram } from '../../support/program.ts'

/** The server, in a process of its own. */
export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  url: string
}

/** Starts the server on a chain's nodes. @param settings beside those of the chain */
export async function startServer(
  { nodes, network }: VerifiedWorld,
  settings: Settings = {},
): Promise<RunningServer> {
  const folder = createFolder()
  const chain = {
    CASPER_RPC_URL: nodes.map(({ url }) => url).join(','),
    CASPER_CHAIN_NAME: network.chainName,
    FEED_REGISTRY_PACKAGE_HASH: network.feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: network.attestationRegistryPackageHash,
    ...patientSettings,
  }
  const program = await startProgram(
    wattfeed('serve'),
    { ...chain, LOG_LEVEL: 'silent', ...settings },
    folder.path,
  )
  return {
    url: program.url,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** A feed's proof from the first block on, as a running server serves it. */
async function fetchServedProof(world: VerifiedWorld, settings?: Settings): Promise<FeedProof> {
  await using server = await startServer(world, settings)
  const response = await fetch(`${server.url}/v1/feeds/${WTI}/proof?from=${world.genesisHash}`)
  return (await response.json()) as FeedProof
}

/** The same from a chain of its own, and the trust that it can be checked with; nothing runs any more. */
export async function createServedProof(): Promise<{ proof: FeedProof; trust: FeedProofTrust }> {
  await using world = await createVerifiedWorld({ nodes: 1 })
  return { proof: await fetchServedProof(world), trust: trustIn(world) }
}

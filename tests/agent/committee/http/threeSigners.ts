import { loadSigner, type Signer } from '@wattfeed/casper/transaction'
import { createDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'

/** Loads the keys of three members; the same for all. */
export async function threeSigners(): Promise<[Signer, Signer, Signer]> {
  using folder = createFolder()
  const devnet = createDevnet({ chainName: 'casper-net-1', accounts: 3, blockTimeMs: 'manual' })
  const load = async (at: number) =>
    (await loadSigner(folder.write('key.pem', devnet.accounts[at]?.secretKeyPem ?? ''))).signer
  return [await load(0), await load(1), await load(2)]
}

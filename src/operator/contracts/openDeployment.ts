import type { Signer } from '../../casper/transaction/signer.ts'
import { type Deployment, readDeployment } from './deploymentFile.ts'
import { PreflightError } from './preflightError.ts'

/** The deployment that a file holds, or a new one. Throws a `PreflightError` where it is another chain's or account's. */
export async function openDeployment(path: string, chainName: string, signer: Signer): Promise<Deployment> {
  const found = await readDeployment(path)
  const { accountHash: account, publicKey: public_key } = signer
  if (found === null)
    return {
      chain_name: chainName,
      account,
      public_key,
      contracts: noContracts,
      pending: null,
      transactions: [],
    }
  assertSame(path, 'chain', found.chain_name, chainName)
  assertSame(path, 'account', found.account, account)
  return found
}

const noContracts = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }

function assertSame(path: string, what: string, found: string, wanted: string): void {
  if (found !== wanted)
    throw new PreflightError(
      'deployment_file',
      `${path} is of the ${what} ${found}, not ${wanted}; name another file with --file`,
    )
}

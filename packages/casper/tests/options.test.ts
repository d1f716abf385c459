import { describe, expect, test } from 'bun:test'
import { InvalidArgumentError } from '@wattfeed/base'
import { openStateFile } from '@wattfeed/base/disk'
import { createLightClient, type LightClientOptions } from '../src/lightClient/createLightClient.ts'
import {
  createTrustedValidators,
  type TrustedValidatorsOptions,
} from '../src/lightClient/createValidators.ts'
import { createRpc, type RpcOptions } from '../src/rpc/rpc.ts'
import { createPendingRows, type PendingRowsOptions } from '../src/sqlite/pendingRows.ts'
import { createSqliteStore, type SqliteStoreOptions } from '../src/sqlite/sqliteStore.ts'
import { type AbsenceEvidenceOptions, createAbsenceEvidenceFinder } from '../src/state/absenceEvidence.ts'
import { createProvenState, type ProvenStateOptions } from '../src/state/createProvenState.ts'
import { createAgreeingRpc } from '../src/state/globalState.ts'
import {
  createDurableSender,
  type DeliverOptions,
  type DurableSend,
  type DurableSenderOptions,
  deliverSigned,
  deliverStored,
} from '../src/transaction/durableSender.ts'
import type { SendOptions } from '../src/transaction/sendTransaction.ts'
import type { SignedTransaction } from '../src/transaction/signTransaction.ts'
import type { Pending } from '../src/transaction/transactionStore.ts'

/** What a caller in JavaScript may write. The other options are missing, because nothing may read them first. */
const misspelt = { parallel: 1 } as object

const rpc = createRpc({
  urls: ['http://node.test/rpc'],
  chainName: 'test',
  fetch: () => Promise.reject(new TypeError('something was requested')),
})
const lightClient = createLightClient({
  rpc,
  chainName: 'test',
  validators: { areTrusted: false, weightsOf: () => Promise.reject(new TypeError('no weights')) },
  trustedBlockHash: null,
  maxHeadAgeMs: 1,
  maxCheckMs: 1,
  now: () => 0,
})
const sender = createDurableSender({ rpc, chainName: 'test' } as DurableSenderOptions)

const calls: Record<string, () => unknown> = {
  createRpc: () => createRpc(misspelt as RpcOptions),
  createProvenState: () => createProvenState(misspelt as ProvenStateOptions),
  createAbsenceEvidenceFinder: () => createAbsenceEvidenceFinder(misspelt as AbsenceEvidenceOptions),
  createAgreeingRpc: () => createAgreeingRpc(rpc, misspelt),
  createLightClient: () => createLightClient(misspelt as LightClientOptions),
  'LightClient.getHead': () => lightClient.getHead(misspelt),
  createTrustedValidators: () => createTrustedValidators(misspelt as TrustedValidatorsOptions),
  createDurableSender: () => createDurableSender(misspelt as DurableSenderOptions),
  'DurableSender.send': () => sender.send(misspelt as DurableSend),
  deliverStored: () => deliverStored({} as Pending, misspelt as DeliverOptions),
  deliverSigned: () => deliverSigned({} as SignedTransaction, misspelt as SendOptions),
  createSqliteStore: () => createSqliteStore(misspelt as SqliteStoreOptions),
  createPendingRows: () => createPendingRows(misspelt as PendingRowsOptions),
  openStateFile: () => openStateFile('/dev/null/sent.db', { applicationId: 1, migrations: [] }, misspelt),
}

describe('an option that does not exist', () => {
  test.each(Object.entries(calls))('error: %s names it', async (_, call) => {
    const failure = await (async () => call())().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(InvalidArgumentError)
    expect(failure).toMatchObject({ argument: 'parallel' })
  })
})

import { describe, expect, test } from 'bun:test'
import { encodeString } from '@wattfeed/base'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { findContractKey, readOdraContract } from '../../src/odra/contract.ts'
import { readEventLogLength } from '../../src/odra/eventLog.ts'
import { readField } from '../../src/odra/field.ts'
import { createAbsenceEvidenceFinder } from '../../src/state/absenceEvidence.ts'
import { absentAsNull } from '../../src/state/absent.ts'
import { createProvenState } from '../../src/state/createProvenState.ts'
import { createGlobalState } from '../../src/state/globalState.ts'
import { answerFrom, type EntityStateName, entityState, entityStates } from '../support/entityStates.ts'

const rpcAt = (name: EntityStateName) => createLocalRpc(answerFrom(entityState(name)))
const modes = {
  trusting: (name: EntityStateName) => createGlobalState(rpcAt(name)),
  proven: (name: EntityStateName) => {
    const rpc = rpcAt(name)
    return createProvenState({ rpc, evidence: createAbsenceEvidenceFinder({ rpc }) })
  },
}

const [old, fresh] = entityStates.registries
const FEED = 'EIA.PET.PRICE.WTI.DAILY'

/** Reads the AttestationRegistry: its contract, the number of values of a feed, and that of its events. */
async function read(
  mode: keyof typeof modes,
  name: EntityStateName,
  packageHash = old?.attestation_registry ?? '',
) {
  const state = modes[mode](name)
  const { stateRootHash } = entityState(name)
  const key = await findContractKey(state, 'AttestationRegistry', packageHash, stateRootHash)
  const sought = ['attest', 'attest_many', 'nothing']
  const contract = await readOdraContract(state, 'AttestationRegistry', key, stateRootHash, sought)
  if (contract?.events == null) throw new Error('no contract')
  const count = await readField(state, {
    stateRootHash,
    stateUref: contract.stateUref,
    field: 4,
    key: encodeString(FEED),
    what: 'count',
    read: (cursor) => cursor.u64(),
    absent: absentAsNull,
  })
  const events = await readEventLogLength(state, contract.events, stateRootHash)
  return { key: key.replace(/[0-9a-f]{64}$/, ''), contract, count, events }
}

describe.each(['trusting', 'proven'] as const)(
  'a contract on a chain with addressable entities, %s',
  (mode) => {
    test('default: it is read before it is an entity', async () => {
      for (const name of ['before', 'switched'] as const) {
        const { key, count, events, contract } = await read(mode, name)
        expect([key, count, events, contract.entryPoints.has('attest')]).toEqual(['hash-', 1n, 1, true])
      }
    })

    test('default: it is read after its first call, and keeps its URefs', async () => {
      const before = await read(mode, 'before')
      const { key, contract, count, events } = await read(mode, 'called')
      expect([key, count, events]).toEqual(['hash-', 2n, 3])
      expect({ ...contract, entryPoints: null }).toEqual({ ...before.contract, entryPoints: null })
      expect([...contract.entryPoints]).toEqual(['attest', 'attest_many'])
    })

    test('default: it is read if it was installed as an entity', async () => {
      const { key, count, events } = await read(mode, 'installed', fresh?.attestation_registry)
      expect([key, count, events]).toEqual(['hash-', 1n, 1])
    })

    test('behavior: a key from before or after the first call leads to the contract at any state root', async () => {
      const [before, called] = [entityState('before'), entityState('called')]
      const [state, later] = [modes[mode]('before'), modes[mode]('called')]
      const packageHash = old?.attestation_registry ?? ''
      const key = await findContractKey(state, 'AttestationRegistry', packageHash, before.stateRootHash)
      const entity = await findContractKey(later, 'AttestationRegistry', packageHash, called.stateRootHash)
      const first = await readOdraContract(later, 'AttestationRegistry', key, called.stateRootHash)
      const second = await readOdraContract(state, 'AttestationRegistry', entity, before.stateRootHash)
      expect(first?.stateUref).toBe(second?.stateUref ?? '')
    })
  },
)

test('default: what calls cost and which fail, on the engine', () => {
  const failed = entityStates.steps.filter(({ error }) => error !== null)
  expect(failed.map(({ step, error }) => [step, error])).toEqual([
    ['upgrade AttestationRegistry', 'ApiError::ContractNotFound [7]'],
  ])
})

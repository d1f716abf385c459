import { hashOf, list, odraItemKey, string, u8, u32 } from '@wattfeed/testing/bytesrepr'
import type { VersionedStore } from './versionedStore.ts'

/** A stored value in the node's JSON. */
export type StoredValue = object

/** An invented contract package in Odra's storage layout. */
export interface SyntheticContract {
  /** With `hash-`. */
  packageHash: string
  /** Writes a field, or an item of a mapping; `hex` is the value's `bytesrepr`. */
  write(fieldIndex: number, keyHex: string, hex: string): void
  /** Appends an entry to the event log. */
  emit(eventName: string, fieldsHex: string): void
}

export interface SyntheticContractOptions {
  name: string
  store: VersionedStore<StoredValue>
  /** @default true */
  hasEventLog?: boolean
  /** Names of the entry points, which identify the contract. */
  entryPoints: readonly string[]
}

export function createSyntheticContract(options: SyntheticContractOptions): SyntheticContract {
  const { name, store, hasEventLog = true, entryPoints } = options
  const uref = (field: string): string => `uref-${hashOf(`${name}/${field}`)}-007`
  const packageHash = `hash-${hashOf(`${name}/package`)}`
  let events = 0

  const setEventsLength = (): void => store.set(uref('__events_length'), clValue('U32', u32(events)))

  store.set(`hash-${contractHash(name)}`, contract(packageHash, namedKeys(uref, hasEventLog), entryPoints))
  store.set(packageHash, contractPackage(name))
  if (hasEventLog) setEventsLength()
  return {
    packageHash,
    write: (fieldIndex, keyHex, hex) =>
      store.set(`${uref('state')}/${odraItemKey(fieldIndex, keyHex)}`, byteList(list(hex))),
    emit(eventName, fieldsHex) {
      if (!hasEventLog) return
      store.set(`${uref('__events')}/${events}`, byteList(list(string(`event_${eventName}`) + fieldsHex)))
      events++
      setEventsLength()
    },
  }
}

/** Returns the address of an invented account: tag 0 and its hash. */
export const syntheticAccount = (name: string): string => u8(0) + hashOf(`account ${name}`)

const clValue = (type: unknown, bytes: string): StoredValue => ({
  CLValue: { cl_type: type, bytes, parsed: null },
})

const byteList = (bytes: string): StoredValue => clValue({ List: 'U8' }, bytes)

const contractHash = (name: string): string => hashOf(`${name}/contract`)

function namedKeys(uref: (field: string) => string, hasEventLog: boolean): object[] {
  const log = hasEventLog ? ['__events', '__events_ces_version', '__events_length', '__events_schema'] : []
  return [...log, 'state'].map((key) => ({ name: key, key: uref(key) }))
}

const contract = (packageHash: string, keys: object[], entryPoints: readonly string[]): StoredValue => ({
  Contract: {
    contract_package_hash: packageHash.replace('hash-', 'contract-package-'),
    contract_wasm_hash: `contract-wasm-${hashOf(packageHash)}`,
    named_keys: keys,
    entry_points: entryPoints.map((entry) => ({ name: entry, access: 'Public', entry_point_type: 'Called' })),
    protocol_version: '2.0.0',
  },
})

const contractPackage = (name: string): StoredValue => ({
  ContractPackage: {
    access_key: `uref-${hashOf(`${name}/access`)}-007`,
    versions: [
      { protocol_version_major: 2, contract_version: 1, contract_hash: `contract-${contractHash(name)}` },
    ],
    disabled_versions: [],
    groups: [],
    lock_status: 'Unlocked',
  },
})

import { type ClValue, unitValue } from '../../../casper/types/clValue.ts'
import { accessRights, createUref, urefKey } from '../../../casper/types/key.ts'
import { encodeStoredValue, type StoredValue } from '../../../casper/types/storedValue.ts'
import type { CallContext } from '../callContext.ts'
import { validateValue } from './validateValue.ts'

/** Charges for every byte that is stored. */
export function chargeStorage({ execution }: CallContext, bytes: number): void {
  execution.gas.charge(bytes * execution.chainspec.storage_costs.gas_per_byte)
}

/** Charges for a value and writes it; whether that is allowed must be clear before. */
export function writeStored(context: CallContext, key: Uint8Array, value: StoredValue): void {
  const stored = encodeStoredValue(value)
  chargeStorage(context, stored.length)
  context.execution.state.write(key, stored)
}

/** A new URef, 33 bytes, under which a value stands; the code has all rights to it. */
export function createUrefWith(context: CallContext, value: ClValue = unitValue): Uint8Array {
  const uref = createUref(context.execution.addresses.next(), accessRights.all)
  context.accessRights.extend([uref])
  validateValue(context, value)
  writeStored(context, urefKey(uref), { kind: 'CLValue', value })
  return uref
}

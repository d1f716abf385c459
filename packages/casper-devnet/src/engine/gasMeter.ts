import { ExecutionError, outOfGasError } from './executionError.ts'

/** Counts the gas of a transaction with all its calls. */
export interface GasMeter {
  /** Subtracts gas. @throws {ExecutionError} when the remaining gas does not suffice */
  charge(motes: number): void
  /** Returns whether this much gas is left. */
  has(motes: number): boolean
  /** Returns the gas used; the whole limit if it is exhausted. */
  consumed(): bigint
  isExhausted(): boolean
  /** The function to import that code calls before each metered block. */
  readonly gas: WebAssembly.ImportValue
}

/**
 * A module that exports a global with the remaining gas, and a function that subtracts gas and traps below zero. Calling a
 * JavaScript function instead would take most of the execution time.
 */
const meterModule = new WebAssembly.Module(
  Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, 0x05, 0x01, 0x60, 0x01, 0x7f, 0x00], // type: i32 to nothing
    ...[0x03, 0x02, 0x01, 0x00],
    ...[0x06, 0x06, 0x01, 0x7e, 0x01, 0x42, 0x00, 0x0b], // global: mutable i64
    ...[0x07, 0x0e, 0x02, 0x03, 0x67, 0x61, 0x73, 0x00, 0x00, 0x04, 0x6c, 0x65, 0x66, 0x74, 0x03, 0x00],
    ...[0x0a, 0x15, 0x01, 0x13, 0x00],
    ...[0x23, 0x00, 0x20, 0x00, 0xad, 0x7d, 0x24, 0x00], // left -= argument
    ...[0x23, 0x00, 0x42, 0x00, 0x53, 0x04, 0x40, 0x00, 0x0b, 0x0b], // if left < 0: unreachable
  ),
)

const MAX_GAS = 2n ** 62n

export function createGasMeter(limit: bigint): GasMeter {
  const start = limit < MAX_GAS ? limit : MAX_GAS
  const { gas, left } = new WebAssembly.Instance(meterModule).exports
  if (typeof gas !== 'function' || !(left instanceof WebAssembly.Global))
    throw new ExecutionError('the gas meter module does not export its function and global')
  left.value = start
  return {
    gas,
    charge(motes) {
      left.value -= BigInt(motes)
      if (left.value < 0n) throw outOfGasError()
    },
    has: (motes) => left.value >= BigInt(motes),
    consumed: () => (left.value < 0n ? limit : start - left.value),
    isExhausted: () => left.value < 0n,
  }
}

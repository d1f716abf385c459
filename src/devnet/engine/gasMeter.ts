import { ExecutionError, outOfGasError } from './executionError.ts'

/** Counts the gas of one transaction, in its own code and in all that it calls. */
export interface GasMeter {
  /** Throws an {@link ExecutionError} where it is more than is left. */
  charge(motes: number): void
  /** Where more was wanted than there was, all of it. */
  consumed(): bigint
  isExhausted(): boolean
  /** What code calls before every block that is paid for together. */
  readonly gas: WebAssembly.ImportValue
}

/**
 * A module that keeps what is left in a global, and exports it and a function that takes off gas and traps below zero.
 * Code calls that at full speed, where a function of JavaScript would take most of the time.
 */
const meterModule = new WebAssembly.Module(
  Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, 0x05, 0x01, 0x60, 0x01, 0x7f, 0x00], // type: i32 to nothing
    ...[0x03, 0x02, 0x01, 0x00],
    ...[0x06, 0x06, 0x01, 0x7e, 0x01, 0x42, 0x00, 0x0b], // global: mutable i64
    ...[0x07, 0x0e, 0x02, 0x03, 0x67, 0x61, 0x73, 0x00, 0x00, 0x04, 0x6c, 0x65, 0x66, 0x74, 0x03, 0x00],
    ...[0x0a, 0x15, 0x01, 0x13, 0x00],
    ...[0x23, 0x00, 0x20, 0x00, 0xad, 0x7d, 0x24, 0x00], // left -= the argument
    ...[0x23, 0x00, 0x42, 0x00, 0x53, 0x04, 0x40, 0x00, 0x0b, 0x0b], // if left < 0: unreachable
  ),
)

const MAX_GAS = 2n ** 62n

/** A meter with so many motes left. */
export function createGasMeter(limit: bigint): GasMeter {
  const start = limit < MAX_GAS ? limit : MAX_GAS
  const { gas, left } = new WebAssembly.Instance(meterModule).exports
  if (typeof gas !== 'function' || !(left instanceof WebAssembly.Global))
    throw new ExecutionError('the meter exports a function and a global')
  left.value = start
  return {
    gas,
    charge(motes) {
      left.value -= BigInt(motes)
      if (left.value < 0n) throw outOfGasError()
    },
    consumed: () => (left.value < 0n ? limit : start - left.value),
    isExhausted: () => left.value < 0n,
  }
}

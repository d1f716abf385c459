import { describedOnChain, type Entry } from './entry.ts'

/**
 * What a feed costs, in CSPR. The figures are those of the agent's own estimate (`wattfeed feeds costs`), which a test
 * compares: upper bounds from gas measured on the node's execution engine.
 */
export interface Cost {
  /** What registering pays, once. */
  register: number
  valuesADay: number
  /** What attesting is charged a day: where values share transactions, and where each has its own. */
  day: { batched: number; single: number }
}

const DAYS_A_YEAR = 146_097 / 400

const valuesADay: Readonly<Record<string, number>> = {
  hourly: 24,
  'local-hourly': 24,
  daily: 1,
  weekly: 1 / 7,
  'four-week-average': 1 / 7,
  monthly: 12 / DAYS_A_YEAR,
  quarterly: 4 / DAYS_A_YEAR,
  annual: 1 / DAYS_A_YEAR,
}

// In CSPR. An attestation as most are: an amount of 4 bytes and a source hash of 32 characters.
const CALL_GAS = 0.2
const VALUE_GAS = 0.785 + 5 * 0.0037 + 36 * 0.0036
const ID_BYTE_GAS = 0.0018
const PAYMENT = 2.5
const BATCH_PAYMENT = 5
const MAX_PART_OF_PAYMENT = 0.9
const MAX_ARGUMENT_BYTES = 512

const MAX_SHORT_DESCRIPTION = 290
const MAX_SHORT_TEXTS = 640

/** Estimates what a feed costs. */
export function costOf(entry: Entry): Cost {
  const idBytes = 4 + bytesOf(entry.feed_id)
  const gasOf = (values: number): number => CALL_GAS + values * (VALUE_GAS + ID_BYTE_GAS * idBytes)
  const [single, batch] = [charge(gasOf(1), PAYMENT), batchOf(idBytes, gasOf)]
  const batched = batch === 1 ? single : charge(gasOf(batch), BATCH_PAYMENT) / batch
  const rate = valuesADay[entry.frequency] ?? 0
  return {
    register: isLong(entry) ? BATCH_PAYMENT : PAYMENT,
    valuesADay: rate,
    day: { batched: batched * rate, single: single * rate },
  }
}

/** What is charged: the gas, and a quarter of what was paid beyond. */
const charge = (gas: number, payment: number): number => Math.min(payment, gas + (payment - gas) / 4)

/** How many values fit one transaction. */
function batchOf(idBytes: number, gasOf: (values: number) => number): number {
  const fits = (values: number): boolean =>
    gasOf(values) <= BATCH_PAYMENT * MAX_PART_OF_PAYMENT &&
    argumentBytes(values, idBytes) <= MAX_ARGUMENT_BYTES
  return [5, 4, 3, 2].find(fits) ?? 1
}

const argumentBytes = (values: number, idBytes: number): number => 31 + values * (49 + idBytes)

/** Whether registering needs the higher payment. */
function isLong(entry: Entry): boolean {
  const { feed_id, unit, title, source, route, frequency } = entry
  const description = describedOnChain(entry)
  const texts = [feed_id, unit, title, source, route, frequency, description].map(bytesOf)
  const bytes = texts.reduce((sum, each) => sum + each, 161)
  return description.length > MAX_SHORT_DESCRIPTION || bytes > MAX_SHORT_TEXTS
}

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

import { recipeOf } from 'wattfeed/internal'
import { describeRecipe } from 'wattfeed/provenance'
import type { FeedEntry } from '../../../../feeds/catalog/feedEntry.ts'

/**
 * The cost of a feed in CSPR: upper bounds from gas measured on the node's execution engine. A test compares it with
 * `wattfeed feeds costs`.
 */
export interface Cost {
  register: number
  valuesADay: number
  /** The daily cost of attesting: with shared transactions, and with one transaction per value. */
  day: { batched: number; single: number }
}

/** The Gregorian calendar repeats after 400 years. */
export const DAYS_A_YEAR = 146_097 / 400

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

// In CSPR, as in src/agent/plan/attestCall.ts, which the browser does not load. An amount has 4 bytes, a source hash 32 characters, and
// each the bytes of its length.
const CALL_GAS = 0.2
const AMOUNT_BYTE_GAS = 0.0037
const HASH_BYTE_GAS = 0.0036
const VALUE_GAS = 0.785 + 5 * AMOUNT_BYTE_GAS + 36 * HASH_BYTE_GAS
const ID_BYTE_GAS = 0.0018
const PAYMENT = 2.5
const BATCH_PAYMENT = 5
/** A batch that may need more of its payment is not sent. */
const MAX_PART_OF_PAYMENT = 0.9
const MAX_ARGUMENT_BYTES = 512
/** Before each text. */
const LENGTH_BYTES = 4
/** The bytes of an attestation without its id: its amount, its period and its hash, with their lengths. */
const VALUE_BYTES = 49
/** Of the arguments of a transaction without its values. */
const CALL_BYTES = 31

// As in the operator's `registerPaymentMotes`: longer descriptions, or texts, need the larger payment.
const MAX_SHORT_DESCRIPTION = 290
const MAX_SHORT_TEXTS = 640
/** Of the arguments of a registration without its texts. */
const REGISTRATION_BYTES = 161

export function costOf(entry: FeedEntry): Cost {
  const idBytes = LENGTH_BYTES + bytesOf(entry.feed_id)
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

/** Casper charges the gas, and a quarter of the rest of the payment. */
const charge = (gas: number, payment: number): number => Math.min(payment, gas + (payment - gas) / 4)

/** Returns the number of values that fit into one transaction. */
function batchOf(idBytes: number, gasOf: (values: number) => number): number {
  const fits = (values: number): boolean =>
    gasOf(values) <= BATCH_PAYMENT * MAX_PART_OF_PAYMENT &&
    argumentBytes(values, idBytes) <= MAX_ARGUMENT_BYTES
  return [5, 4, 3, 2].find(fits) ?? 1
}

const argumentBytes = (values: number, idBytes: number): number =>
  CALL_BYTES + values * (VALUE_BYTES + idBytes)

/** Returns whether registering needs the larger payment. */
function isLong(entry: FeedEntry): boolean {
  const { feed_id, unit, title, source, route, frequency } = entry
  const description = describedOnChain(entry)
  const texts = [feed_id, unit, title, source, route, frequency, description].map(bytesOf)
  const bytes = texts.reduce((sum, each) => sum + each, REGISTRATION_BYTES)
  return description.length > MAX_SHORT_DESCRIPTION || bytes > MAX_SHORT_TEXTS
}

/** Returns the feed's description on chain, which ends with its recipe if that is known. */
export function describedOnChain(entry: FeedEntry): string {
  const recipe = recipeOf(entry)
  return recipe === null ? entry.description : describeRecipe(entry.description, recipe)
}

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

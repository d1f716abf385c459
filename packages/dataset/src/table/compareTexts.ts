import { compareBytes } from '../bytes.ts'

const encoder = new TextEncoder()

/** Compares texts by their bytes, as keys are compared. */
export const compareTexts = (one: string, other: string): number =>
  compareBytes(encoder.encode(one), encoder.encode(other))

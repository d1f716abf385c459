// In a file of its own, because the library loads `jsonField.ts` only for verification.
/** Returns whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

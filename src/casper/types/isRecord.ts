// On its own: what is loaded at once needs it, and not the decoders of `jsonField.ts`.
/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The module `casper-js-sdk`. */
export type Sdk = typeof import('casper-js-sdk')

/** Loads the SDK when it is first needed: it takes a third of a second and 40 MB. */
export async function loadSdk(): Promise<Sdk> {
  const loaded: Sdk & { default?: Sdk } = await import('casper-js-sdk')
  // It is a CommonJS module, of which Node.js shows the names in `default` only.
  return loaded.default ?? loaded
}

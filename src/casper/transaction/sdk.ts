export type Sdk = typeof import('casper-js-sdk')

/** Loads the SDK when it is first needed: it takes a third of a second and 40 MB. */
export const loadSdk = (): Promise<Sdk> => import('casper-js-sdk')

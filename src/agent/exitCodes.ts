/**
 * What the programs tell scripts: all is done; nothing could be run, or nothing was sent; some of it failed, differs, or
 * was refused by the chain.
 */
export const exitCodes = { done: 0, notRun: 1, someFailed: 2 } as const

/** Exit codes: all done; nothing was run or sent; some of it failed, differs, or was refused by the chain. */
export const exitCodes = { done: 0, notRun: 1, someFailed: 2 } as const

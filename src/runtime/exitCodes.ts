/** Exit codes: everything is done; nothing was run or sent; a part failed, differs, or was rejected by the chain. */
export const exitCodes = { done: 0, notRun: 1, someFailed: 2 } as const

/** What the commands tell scripts: all done; it could not be run; some of it differs, failed or was refused. */
export const exitCodes = { done: 0, notRun: 1, someFailed: 2 } as const

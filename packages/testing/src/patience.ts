/** Generous deadlines for tests that are not about deadlines. On a busy machine a read takes ten times as long. */
export const patience = { timeoutMs: 60_000, deadlineMs: 120_000 } as const

/** Retries without pauses, so that no test waits for them or needs a short deadline to end them. */
export const backOff = { minPauseMs: 0, maxPauseMs: 0 } as const

/** The same deadlines as settings of a program. */
export const patientSettings = { RPC_TIMEOUT_MS: '60000', REQUEST_DEADLINE_MS: '120000' } as const

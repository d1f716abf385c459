/**
 * Deadlines of the product in tests that are not about them: on a machine with both cores busy elsewhere a read takes
 * ten times as long, and what comes back is the same.
 */
export const patience = { timeoutMs: 60_000, deadlineMs: 120_000 } as const

/** The same for a program, by its settings. */
export const patientSettings = { RPC_TIMEOUT_MS: '60000', REQUEST_DEADLINE_MS: '120000' } as const

/**
 * Waits between two polls of another process that sends no notification. Polling without a pause would take the CPU that
 * the other process needs. No test may depend on the length of the pause. It is shorter for a test that must act in the
 * middle of what it polls.
 */
export const nextLook = (ms = 10): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

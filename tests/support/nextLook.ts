/**
 * Between two looks at what only another process knows and tells nobody of: a test that looked again at once would take
 * the CPU that the other process needs. Nothing may depend on how long it takes.
 */
export const nextLook = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))

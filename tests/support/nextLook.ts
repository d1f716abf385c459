/**
 * Between two looks at what another process does and tells nobody of: a test that looked again at once would take the
 * CPU that the other one needs. Nothing may depend on how long it takes. Where something is to happen in the midst of
 * what is looked at, it is shorter.
 */
export const nextLook = (ms = 10): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

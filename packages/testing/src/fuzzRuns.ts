/** Number of random cases of a fuzz test. The default is a small sample. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? 100)

/** How many random cases a fuzz test tries, of `FUZZ_RUNS`: by default a sample for every day; `.ci/run` tries more. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? 100)

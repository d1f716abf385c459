/** Whether this program runs from source. A bundle, in the binary or in the package, cannot write to its own files. */
export const isFromSource = import.meta.path.endsWith('isFromSource.ts')

/** How a user runs a command of wattfeed. */
export const typedProgram = isFromSource ? 'npx -y bun@1.4.4 run' : 'wattfeed'

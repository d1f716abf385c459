import { isFromSource } from './isFromSource.ts'

/** How a user runs a command of wattfeed. */
export const typedProgram = isFromSource ? 'npx -y bun@1.4.4 run' : 'wattfeed'

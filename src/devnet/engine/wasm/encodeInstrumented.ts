import { encodeModule } from './encodeModule.ts'
import type { InstrumentedModule, Numbering } from './instrumentedModule.ts'
import { createEncodeCall } from './limitedCall.ts'

const sameNumbers: Numbering = {
  functions: (index) => index,
  types: (index) => index,
  globals: (index) => index,
}

/** A whole module's bytes; `numbering` tells where what it names has moved to. */
export function encodeInstrumented(
  module: InstrumentedModule,
  numbering: Numbering = sameNumbers,
): Uint8Array {
  const encodeCall = createEncodeCall(module.stack, numbering)
  return encodeModule({
    ...module,
    functions: module.functions.map(({ type }) => numbering.types(type)),
    bodies: module.functions.map((each) => (writer) => each.write(writer, numbering, encodeCall)),
  })
}

import fc from 'fast-check'
import { type ClType, SIMPLE_TYPES } from '../../src/types/clType.ts'

const simple = fc.constantFrom(...SIMPLE_TYPES.filter((type) => type !== undefined))

/** Types of all kinds, some of them nested. */
export const anyClType: fc.Arbitrary<ClType> = fc.letrec<{ type: ClType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    simple,
    fc.record({ Option: tie('type') }),
    fc.record({ List: tie('type') }),
    fc.record({ ByteArray: fc.nat({ max: 2 ** 31 - 1 }) }),
    fc.record({ Result: fc.record({ ok: tie('type'), err: tie('type') }) }),
    fc.record({ Map: fc.record({ key: tie('type'), value: tie('type') }) }),
    fc.record({ Tuple1: fc.tuple(tie('type')) }),
    fc.record({ Tuple2: fc.tuple(tie('type'), tie('type')) }),
    fc.record({ Tuple3: fc.tuple(tie('type'), tie('type'), tie('type')) }),
  ),
})).type

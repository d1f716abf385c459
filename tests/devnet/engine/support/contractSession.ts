import { createByteWriter } from '../../../../src/devnet/value/byteWriter.ts'
import type { NamedArgument } from '../../../../src/devnet/value/clValue.ts'
import { concatBytes } from '../../../../src/devnet/value/concatBytes.ts'
import { writeEntryPoint } from '../../../../src/devnet/value/entryPoint.ts'
import { keyTags } from '../../../../src/devnet/value/key.ts'
import { encodeClValue } from '../../value/support/encodeClValue.ts'
import { encodeHostCalls, type HostCall, OUT, text } from './hostCalls.ts'

/** A contract of one function, and what the session that installs it does before and after it calls it. */
export interface ContractSession {
  readonly before?: readonly HostCall[]
  /** What it gives to the function. */
  readonly args?: readonly NamedArgument[]
  readonly contract: readonly HostCall[]
  readonly after?: readonly HostCall[]
  /** That the contract may say something on. */
  readonly topics?: readonly string[]
}

/** A URef that is written to {@link UREF} in a module's memory is a key from `KEY` on, 34 bytes long. */
export const KEY = 0
export const UREF = KEY + 1
/** A URef that is written to {@link RETURNED_UREF} is a CLValue from `RETURNED` on, 38 bytes long. */
export const RETURNED = 40
export const RETURNED_UREF = RETURNED + 4

const NAME = 'run'
const none = Uint8Array.of(0, 0, 0, 0)
const [packageHash, contractHash] = [OUT, OUT + 64]
const somewhere = OUT + 512

const data = new Uint8Array(96)
data[KEY] = keyTags.uref
data.set(encodeClValue({ clType: 'URef', bytes: new Uint8Array(33) }), RETURNED)

/** The session's module. */
export function encodeContractSession({
  before = [],
  args = [],
  contract,
  after = [],
  topics = [],
}: ContractSession) {
  const add = [packageHash, 32, somewhere, entryPoints, none, encodeTopics(topics), contractHash, 32]
  return encodeHostCalls(
    [
      ...before,
      { name: 'create_contract_package_at_hash', args: [packageHash, somewhere, 0] },
      { name: 'add_contract_version_with_message_topics', args: add },
      { name: 'call_contract', args: [contractHash, 32, text(NAME), encodeArguments(args), somewhere] },
      ...after,
    ],
    { entryPoints: { [NAME]: contract }, data },
  )
}

const entryPoints = writeEntryPoint(createByteWriter().u32(1).string(NAME), {
  name: NAME,
  args: [],
  ret: 'Unit',
  access: 'Public',
  entryPointType: 'Called',
})
  .u8(0)
  .finish()

const encodeTopics = (topics: readonly string[]): Uint8Array =>
  concatBytes(
    createByteWriter().u32(topics.length).finish(),
    ...topics.flatMap((topic) => [text(topic), Uint8Array.of(0)]),
  )

const encodeArguments = (args: readonly NamedArgument[]): Uint8Array =>
  concatBytes(
    createByteWriter().u32(args.length).finish(),
    ...args.flatMap((arg) => [text(arg.name), encodeClValue(arg)]),
  )

import { member } from '../../../src/devnet/canonicalCall.ts'
import { type Exchange, readExchanges, recordingFolder } from '../../../src/devnet/exchange.ts'
import type { AnswerRpc, RpcAnswer } from '../../../src/devnet/rpcAnswer.ts'
import type { RegistryName } from '../../../src/registry/layout.ts'
import { list, u32, u64 } from '../../support/bytesrepr.ts'
import { UNREGISTERED } from './recordedCalls.ts'
import type { Replay } from './replay.ts'


import { describe, expect, expectTypeOf, test } from 'bun:test'
import * as wattfeed from 'wattfeed'
import {
  type AbsenceEvent,
  type AdvanceEvent,
  AllNodesFailedError,
  type Attestation,
  type Attester,
  ChainNameMismatchError,
  type CheckpointStore,
  type Client,
  type ClientOptions,
  casperTest,
  createClient,
  DeadlineError,
  DecodeError,
  type Feed,
  type HistoryRange,
  InvalidArgumentError,
  JsonRpcError,
  LaggingNodeError,
  type Network,
  PackageNotFoundError,
  type Reading,
  type ReadOptions,
  type Reads,
  type RpcCallEvent,
  type RpcRejection,
  type Snapshot,
  TransportError,
  type VerifyLevel,
  WattfeedError,
} from 'wattfeed'

describe('the package', () => {
  test('default: its exports at run time', () => {
    expect(Object.keys(wattfeed).sort()).toEqual([
      'AbsenceNotProvenError',
      'AllNodesFailedError',
      'ChainNameMismatchError',
      'CountContradictedError',
      'DeadlineError',
      'DecodeError',
      'HiddenValueError',
      'InvalidArgumentError',
      'JsonRpcError',
      'LaggingNodeError',
      'MerkleProofError',
      'NodesDisagreeError',
      'PackageNotFoundError',
      'ProofBusyError',
      'StaleNodeError',
      'StateNotKeptError',
      'TransactionNotFoundError',
      'TransportError',
      'UnsupportedAccountError',
      'VerificationError',
      'WattfeedError',
      'casperTest',
      'createClient',
      'readingToJson',
      'verifyFeedProof',
    ])
  })
})

describe('createClient', () => {
  test('default: all options are optional, and unknown ones are rejected', () => {
    expectTypeOf<Parameters<typeof createClient>[0]>().toEqualTypeOf<ClientOptions | undefined>()
    expectTypeOf(createClient).returns.toEqualTypeOf<Client>()
    expectTypeOf<ClientOptions>().toEqualTypeOf<{
      rpcUrls?: readonly string[]
      rpcAuthorization?: Readonly<Record<string, string>>
      chainName?: string
      feedRegistryPackageHash?: string
      attestationRegistryPackageHash?: string
      timeoutMs?: number
      deadlineMs?: number
      concurrency?: number
      maxStalenessMs?: number
      retryAfterMaxMs?: number
      verify?: VerifyLevel
      trustedBlockHash?: string
      maxHeadAgeMs?: number
      requireAbsenceProof?: boolean
      checkpoint?: CheckpointStore
      fetch?: (url: string, init: RequestInit) => Promise<Response>
      observe?: {
        rpcCall?: (event: RpcCallEvent) => void
        rejected?: (event: RpcRejection) => void
        absence?: (event: AbsenceEvent) => void
        advance?: (event: AdvanceEvent) => void
        checkpointFailed?: (error: unknown) => void
        protocolVersion?: (version: string) => void
      }
    }>()
    // @ts-expect-error -- a node's URL comes in a list
    const asText: ClientOptions = { rpcUrls: 'http://node.test/rpc' }
    // @ts-expect-error -- an option that does not exist
    const madeUp: ClientOptions = { url: 'http://node.test/rpc' }
    // @ts-expect-error -- left out, not undefined
    const undefinedTime: ClientOptions = { timeoutMs: undefined }
    expect([asText, madeUp, undefinedTime]).toHaveLength(3)
  })

  test('behavior: a network and the fetch of the platform are options', () => {
    createClient(casperTest)
    createClient({ ...casperTest, fetch })
    createClient({ ...casperTest, fetch: globalThis.fetch, observe: { advance: () => {} } })
    expectTypeOf(casperTest).toEqualTypeOf<Network>()
  })
})

describe('Reads', () => {
  test('default: the parameters and results of every read', () => {
    expectTypeOf<Reads>().toEqualTypeOf<{
      getValue(feedId: string, options?: ReadOptions): Promise<Attestation | null>
      getFeed(feedId: string, options?: ReadOptions): Promise<Feed | null>
      getReading(feedId: string, options?: ReadOptions): Promise<Reading | null>
      feedCount(options?: ReadOptions): Promise<number>
      feedIdAt(index: number, options?: ReadOptions): Promise<string | null>
      listFeedIds(options?: ReadOptions): Promise<readonly string[]>
      listReadings(options?: ReadOptions): Promise<readonly Reading[]>
      getValueAt(feedId: string, index: number, options?: ReadOptions): Promise<Attestation | null>
      getValueCount(feedId: string, options?: ReadOptions): Promise<number>
      getValueHistory(feedId: string, range?: HistoryRange): Promise<Attestation[]>
      totalAttestations(options?: ReadOptions): Promise<number>
      getFirstPartyAttester(options?: ReadOptions): Promise<string>
      getAttester(feedId: string, options?: ReadOptions): Promise<Attester | null>
      getClaimant(feedId: string, options?: ReadOptions): Promise<string | null>
      getLogLengths(options?: ReadOptions): Promise<string | null>
    }>()
    expectTypeOf<ReadOptions>().toEqualTypeOf<{ signal?: AbortSignal | undefined }>()
    expectTypeOf<HistoryRange>().toEqualTypeOf<{
      from?: number
      to?: number
      signal?: AbortSignal | undefined
    }>()
  })

  test('behavior: a client and a snapshot both read', () => {
    expectTypeOf<Client>().toExtend<Reads>()
    expectTypeOf<Snapshot>().toExtend<Reads>()
    expectTypeOf<Client['snapshot']>().toEqualTypeOf<(options?: ReadOptions) => Promise<Snapshot>>()
    expectTypeOf<Snapshot['stateRootHash']>().toEqualTypeOf<string>()
    expectTypeOf<Snapshot['fetchedAt']>().toEqualTypeOf<number>()
  })
})

describe('records', () => {
  test('default: fields and their types', () => {
    expectTypeOf<Feed>().toEqualTypeOf<{
      readonly decimals: number
      readonly unit: string
      readonly title: string
      readonly source: string
      readonly route: string
      readonly frequency: string
      readonly description: string
    }>()
    expectTypeOf<Attestation>().toEqualTypeOf<{
      readonly period: number
      readonly amount: bigint
      readonly source_hash: string
      readonly attester: string
      readonly timestamp: number
    }>()
    expectTypeOf<Reading>().toExtend<Feed>()
    expectTypeOf<Omit<Reading, keyof Feed>>().toEqualTypeOf<{
      readonly feed_id: string
      readonly value: number
      readonly amount: bigint
      readonly period: number
      readonly source_hash: string
      readonly updated_at: number
    }>()
  })

  test('behavior: shared readings cannot be changed', () => {
    const change = (reading: Reading, readings: readonly Reading[]) => {
      // @ts-expect-error -- readonly
      reading.value = 1
      // @ts-expect-error -- readonly
      readings.push(reading)
    }
    expect(change).toBeFunction()
  })

  test('behavior: null has to be dealt with', () => {
    const read = async (client: Client) => {
      const reading = await client.getReading('A')
      // @ts-expect-error -- it may be null
      return reading.value
    }
    expect(read).toBeFunction()
  })
})

describe('errors', () => {
  test('default: every class has its own literal code', () => {
    const errors = [
      new AllNodesFailedError('read', []),
      new ChainNameMismatchError('a', 'b'),
      new DeadlineError(1, null),
      new DecodeError('a', 'b'),
      new InvalidArgumentError('a', 'b'),
      new JsonRpcError(0, '', ''),
      new LaggingNodeError('FeedRegistry', 1, 2),
      new PackageNotFoundError('FeedRegistry', '00', 'none'),
      new TransportError('a'),
    ] as const
    expectTypeOf<(typeof errors)[number]['code']>().toEqualTypeOf<
      | 'all_nodes_failed'
      | 'chain_name_mismatch'
      | 'deadline'
      | 'decode'
      | 'invalid_argument'
      | 'json_rpc'
      | 'lagging_node'
      | 'package_not_found'
      | 'transport'
    >()
    expect(new Set(errors.map(({ code }) => code)).size).toBe(errors.length)
    for (const error of errors) {
      expect(error).toBeInstanceOf(WattfeedError)
      expect(error).toBeInstanceOf(Error)
      expect(error.name).toMatch(/^[A-Z]\w+Error$/)
    }
  })

  test('behavior: the code tells which facts there are', () => {
    const facts = (error: DecodeError | DeadlineError) =>
      error.code === 'decode' ? error.rule : error.deadlineMs
    expectTypeOf(facts).returns.toEqualTypeOf<string | number>()
    expect([facts(new DecodeError('a', 'b')), facts(new DeadlineError(7, null))]).toEqual(['b', 7])
  })

  test('behavior: the base class cannot be made', () => {
    // @ts-expect-error -- abstract
    const make = () => new WattfeedError('x')
    expect(make).toBeFunction()
  })
})

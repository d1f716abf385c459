import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import {
  CHAIN_NAME,
  keys,
  moduleSession,
  NOW,
  signedDeploy,
  signedSession,
} from '@wattfeed/casper/testing/sdkTransactions'
import {
  AccountHash,
  AccountIdentifier,
  AccountNamedKey,
  EntityAddr,
  EntityIdentifier,
  EventName,
  HttpHandler,
  ParamBlockIdentifier,
  ParamDictionaryIdentifier,
  ParamDictionaryIdentifierContractNamedKey,
  ParamDictionaryIdentifierURef,
  PublicKey,
  PurseIdentifier,
  type RawEvent,
  RpcClient,
  SpeculativeClient,
  SseClient,
  URef,
} from 'casper-js-sdk'
import type { Chain } from '../../src/chain/createChain.ts'
import { createDevnet } from '../../src/createDevnet.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { type DevnetEndpoint, startDevnet } from '../../src/rpc/startDevnet.ts'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'
import { readRecordedState } from './recordedState.ts'

const key = keys.ed25519.publicKey
const account = keys.ed25519.publicKey.accountHash()
const contract = 'hash-15b3694abfd329c134f2323213f10d03ed7980cf756b34e92c5f21a04fe68da6'
const recordedAccount = 'account-hash-5bf7304d39cdc9c99b8a391234f6ad85c5fdcf41646a55493c3d35b68d6bb193'
const stateSeed = 'uref-2ecb47e4668b0dca2f9f3a0eb31348d6971ba18ff1ac6750cb105c16861ac10b-007'
const itemKey = '34461635d31fd734cee1f20839218ffef78785d536b348b04204510012a8cbd2'

let chain: Chain
let endpoint: DevnetEndpoint
let client: RpcClient
let purse: string

// For three of the SDK's queries, the SDK logs a complaint about its own request.
const complaints = spyOn(console, 'error').mockImplementation(() => {})

beforeAll(async () => {
  const writes = [
    ...new Map(readRecordedState().map(({ key, stored }) => [key.toHex(), [key, stored] as const])).values(),
  ]
  chain = createTestChain({ engine: createFakeEngine(() => ({ writes })) })
  chain.put(sessionOf(1))
  for (let height = 2; height <= 21; height++) chain.produceBlock()
  endpoint = await startDevnet({ call: createAnswerRpc(chain) })
  client = new RpcClient(new HttpHandler(endpoint.url, 'fetch'))
  const info = await client.getAccountInfo(null, new AccountIdentifier(undefined, key))
  purse = info.account.mainPurse.toPrefixedString()
})
afterAll(async () => {
  complaints.mockRestore()
  await endpoint.stop()
  chain.close()
})

const root = (): string => chain.tip().stateRootHash
const hash = (): string => chain.tip().hash
const validator = (): PublicKey => PublicKey.fromHex(chain.tip().proposer)
const purses = (): PurseIdentifier => PurseIdentifier.fromPublicKey(key)
const entity = (): EntityIdentifier => EntityIdentifier.fromPublicKey(key)
const byUref = new ParamDictionaryIdentifierURef(itemKey, stateSeed)
const sentDeploy = signedDeploy(moduleSession())
const sentTransaction = signedSession(Uint8Array.of(0, 97, 115, 109, 1), false)

type Call = () => Promise<unknown>

/** Every method of the SDK's client that this chain answers, ordered so that data is sent before it is read. */
const works: Record<string, Call> = {
  putTransaction: () => client.putTransaction(sentTransaction),
  putDeploy: () => client.putDeploy(sentDeploy),
  waitForTransaction: () => client.waitForTransaction(sentTransaction),
  waitForDeploy: () => client.waitForDeploy(sentDeploy),
  getTransactionByTransactionHash: () => client.getTransactionByTransactionHash(sentTransaction.hash.toHex()),
  getTransactionFinalizedApprovalByTransactionHash: () =>
    client.getTransactionFinalizedApprovalByTransactionHash(sentTransaction.hash.toHex()),
  getTransactionByDeployHash: () => client.getTransactionByDeployHash(sentDeploy.hash.toHex()),
  getTransactionFinalizedApprovalByDeployHash: () =>
    client.getTransactionFinalizedApprovalByDeployHash(sentDeploy.hash.toHex()),
  getDeploy: () => client.getDeploy(sentDeploy.hash.toHex()),
  getDeployFinalizedApproval: () => client.getDeployFinalizedApproval(sentDeploy.hash.toHex()),
  getStatus: () => client.getStatus(),
  getChainspec: () => client.getChainspec(),
  getStateRootHashLatest: () => client.getStateRootHashLatest(),
  getStateRootHashByHash: () => client.getStateRootHashByHash(hash()),
  getStateRootHashByHeight: () => client.getStateRootHashByHeight(3),
  getLatestBlock: () => client.getLatestBlock(),
  getBlockByHash: () => client.getBlockByHash(hash()),
  getBlockByHeight: () => client.getBlockByHeight(20),
  getEraSummaryLatest: () => client.getEraSummaryLatest(),
  getEraSummaryByHash: () => client.getEraSummaryByHash(hash()),
  getEraSummaryByHeight: () => client.getEraSummaryByHeight(20),
  getLatestAuctionInfo: () => client.getLatestAuctionInfo(),
  getLatestAuctionInfoV1: () => client.getLatestAuctionInfoV1(),
  getLatestAuctionInfoV2: () => client.getLatestAuctionInfoV2(),
  getAuctionInfoByHash: () => client.getAuctionInfoByHash(hash()),
  getAuctionInfoV1ByHash: () => client.getAuctionInfoV1ByHash(hash()),
  getAuctionInfoV2ByHash: () => client.getAuctionInfoV2ByHash(hash()),
  getAuctionInfoByHeight: () => client.getAuctionInfoByHeight(20),
  getAuctionInfoV1ByHeight: () => client.getAuctionInfoV1ByHeight(20),
  getAuctionInfoV2ByHeight: () => client.getAuctionInfoV2ByHeight(20),
  getStateItem: () => client.getStateItem(root(), contract, []),
  queryLatestGlobalState: () => client.queryLatestGlobalState(contract, ['__events_length']),
  queryGlobalStateByBlockHash: () => client.queryGlobalStateByBlockHash(hash(), contract, []),
  queryGlobalStateByBlockHeight: () => client.queryGlobalStateByBlockHeight(3, contract, []),
  queryGlobalStateByStateHash: () => client.queryGlobalStateByStateHash(root(), contract, []),
  getDictionaryItem: () => client.getDictionaryItem(root(), stateSeed, itemKey),
  getDictionaryItemByIdentifier: () =>
    client.getDictionaryItemByIdentifier(root(), new ParamDictionaryIdentifier(undefined, undefined, byUref)),
  getLatestEntity: () => client.getLatestEntity(entity()),
  getEntityByBlockHash: () => client.getEntityByBlockHash(entity(), hash()),
  getEntityByBlockHeight: () => client.getEntityByBlockHeight(entity(), 3),
  getAccountInfo: () =>
    client.getAccountInfo(ParamBlockIdentifier.byHeight(3), new AccountIdentifier(account)),
  getAccountInfoByBlockHash: () => client.getAccountInfoByBlockHash(hash(), key),
  getAccountInfoByBlockHeight: () => client.getAccountInfoByBlockHeight(3, key),
  getLatestBalance: () => client.getLatestBalance(purse),
  getBalanceByStateRootHash: () => client.getBalanceByStateRootHash(purse, root()),
  queryLatestBalance: () => client.queryLatestBalance(purses()),
  queryBalanceByBlockHash: () => client.queryBalanceByBlockHash(purses(), hash()),
  queryBalanceByBlockHeight: () => client.queryBalanceByBlockHeight(purses(), 3),
  queryBalanceByStateRootHash: () => client.queryBalanceByStateRootHash(purses(), root()),
  getPeers: () => client.getPeers(),
  getValidatorChangesInfo: () => client.getValidatorChangesInfo(),
  getLatestBlockTransfers: () => client.getLatestBlockTransfers(),
  getBlockTransfersByHash: () => client.getBlockTransfersByHash(hash()),
  getBlockTransfersByHeight: () => client.getBlockTransfersByHeight(3),
  getEraInfoLatest: () => client.getEraInfoLatest(),
  getEraInfoByBlockHash: () => client.getEraInfoByBlockHash(chain.latestSwitchBlock().hash),
  getEraInfoByBlockHeight: () => client.getEraInfoByBlockHeight(20),
  queryLatestBalanceDetails: () => client.queryLatestBalanceDetails(purses()),
  queryBalanceDetailsByStateRootHash: () => client.queryBalanceDetailsByStateRootHash(purses(), root()),
  queryBalanceDetailsByBlockHeight: () => client.queryBalanceDetailsByBlockHeight(purses(), 3),
  queryBalanceDetailsByBlockHash: () => client.queryBalanceDetailsByBlockHash(purses(), hash()),
  getLatestValidatorReward: () => client.getLatestValidatorReward(validator()),
  getValidatorRewardByEraID: () => client.getValidatorRewardByEraID(validator(), 1),
  getValidatorRewardByBlockHash: () =>
    client.getValidatorRewardByBlockHash(validator(), chain.latestSwitchBlock().hash),
  getValidatorRewardByBlockHeight: () => client.getValidatorRewardByBlockHeight(validator(), 3),
}

/** Methods for data that this chain does not have, and the code of the answer. */
const refused: Record<string, [call: Call, code: number]> = {
  getLatestDelegatorReward: [() => client.getLatestDelegatorReward(validator(), key), -32018],
  getDelegatorRewardByEraID: [() => client.getDelegatorRewardByEraID(validator(), key, 1), -32018],
  getDelegatorRewardByBlockHash: [
    () => client.getDelegatorRewardByBlockHash(validator(), key, hash()),
    -32018,
  ],
  getDelegatorRewardByBlockHeight: [
    () => client.getDelegatorRewardByBlockHeight(validator(), key, 3),
    -32018,
  ],
}

describe('casper-js-sdk’s RpcClient', () => {
  test.each(Object.entries(works))('default: %s works', async (_, call) => {
    expect(await call()).toBeObject()
  })

  test.each(Object.entries(refused))('error: %s is rejected', async (_, [call, code]) => {
    const error = await call().then(
      () => null,
      (reason) => reason,
    )
    expect(String(error)).toContain(String(code))
  })

  test('behavior: all methods of the client are tested', () => {
    const inner = new Set(['constructor', 'waitForConfirmation', 'parseResponse', 'processRequest'])
    const all = Object.getOwnPropertyNames(RpcClient.prototype).filter((name) => !inner.has(name))
    expect([...Object.keys(works), ...Object.keys(refused)].sort()).toEqual(all.sort())
  })

  test('default: its SpeculativeClient executes a deploy', async () => {
    const speculative = new SpeculativeClient(new HttpHandler(endpoint.url, 'fetch'))
    const { isV2, executionResult, blockHash } = await speculative.speculativeExec('1', sentDeploy)
    expect([isV2, blockHash?.toHex()]).toEqual([true, hash()])
    expect(executionResult?.consumed).toBeGreaterThan(0)
    expect(executionResult?.errorMessage ?? null).toBeNull()
  })

  test('behavior: it reads the stored values', async () => {
    const balance = await client.queryLatestBalance(purses())
    const again = await client.getLatestBalance(purse)
    expect(balance.balance.toString()).toBe(again.balanceValue.toString())
    const block = await client.getLatestBlock()
    expect(block.block.hash.toHex()).toBe(hash())
    const executed = await client.getTransactionByTransactionHash(sentTransaction.hash.toHex())
    expect(executed.executionInfo?.executionResult?.errorMessage ?? null).toBeNull()
  })

  test('behavior: three of its queries drop the state identifier and read the newest state', async () => {
    const nowhere = '0'.repeat(64)
    const newest = await client.queryLatestGlobalState(contract, [])
    for (const query of [
      client.queryGlobalStateByBlockHash(nowhere, contract, []),
      client.queryGlobalStateByBlockHeight(1_000_000, contract, []),
      client.queryGlobalStateByStateHash(nowhere, contract, []),
    ])
      expect((await query).rawJSON).toEqual(newest.rawJSON)
  })

  test('behavior: a dictionary item by all of its identifiers', async () => {
    const bySeed = await client.getDictionaryItem(root(), stateSeed, itemKey)
    const identifiers = [
      new ParamDictionaryIdentifier(
        undefined,
        new ParamDictionaryIdentifierContractNamedKey(contract, 'state', itemKey),
      ),
      new ParamDictionaryIdentifier(undefined, undefined, undefined, bySeed.dictionaryKey.toString()),
    ]
    for (const identifier of identifiers) {
      const item = await client.getDictionaryItemByIdentifier(root(), identifier)
      expect(item.rawJSON).toEqual(bySeed.rawJSON)
    }
    const byAccount = new ParamDictionaryIdentifier(new AccountNamedKey(recordedAccount, 'state', itemKey))
    await expect(client.getDictionaryItemByIdentifier(root(), byAccount)).rejects.toThrow('-32018')
  })

  test('behavior: a balance by all kinds of purse identifiers', async () => {
    const expected = (await client.queryLatestBalance(purses())).balance.toString()
    const others = [
      PurseIdentifier.fromAccountHash(AccountHash.fromString(account.toPrefixedString())),
      PurseIdentifier.fromEntityAddr(EntityAddr.fromPrefixedString(`entity-account-${account.toHex()}`)),
      PurseIdentifier.fromUref(URef.fromString(purse)),
    ]
    for (const each of others)
      expect((await client.queryLatestBalance(each)).balance.toString()).toBe(expected)
  })
})

describe('casper-js-sdk on a chain that was just made', () => {
  test('default: its first calls work', async () => {
    await using devnet = createDevnet({ accounts: 1 })
    await using served = await startDevnet(devnet)
    const first = new RpcClient(new HttpHandler(served.url, 'fetch'))
    expect((await first.getLatestBlock()).block.height).toBe(1)
    expect((await first.getStatus()).lastAddedBlockInfo.height).toBe(1)
  })

  test('default: its SseClient parses the events of a transaction', async () => {
    await using devnet = createDevnet({
      chainName: CHAIN_NAME,
      fund: [key.toHex()],
      now: () => NOW,
      eraLength: 2,
    })
    await using served = await startDevnet(devnet)
    const sse = new SseClient(served.eventsUrl)
    const heard = listenTo(sse)
    sse.start(0)
    try {
      await heard.get(EventName.APIVersionEventType)
      await new RpcClient(new HttpHandler(served.url, 'fetch')).putTransaction(sentTransaction)
      const accepted = (
        await heard.get(EventName.TransactionAcceptedEventType)
      ).parseAsTransactionAcceptedEvent()
      const processed = (
        await heard.get(EventName.TransactionProcessedEventType)
      ).parseAsTransactionProcessedEvent()
      const added = (await heard.get(EventName.BlockAddedEventType)).parseAsBlockAddedEvent()
      const signed = (await heard.get(EventName.FinalitySignatureType)).parseAsFinalitySignatureEvent()
      // The SDK's own parser looks for `step`, which no node sends.
      const step = JSON.parse((await heard.get(EventName.StepEventType)).data)
      const hash = sentTransaction.hash.toHex()
      expect(accepted.transactionAcceptedPayload.transaction.hash.toHex()).toBe(hash)
      expect(processed.transactionProcessedPayload.transactionHash.transactionV1?.toHex()).toBe(hash)
      expect(processed.transactionProcessedPayload.blockHash.toHex()).toBe(added.BlockAdded.blockHash)
      expect([added.BlockAdded.block.height, signed.finalitySignature.blockHeight]).toEqual([2, 2])
      expect(memberAt(step, 'Step', 'era_id')).toBe(1)
    } finally {
      sse.stop()
    }
  })
})

/** Subscribes to all events. */
function listenTo(sse: SseClient): { get(name: EventName): Promise<RawEvent> } {
  const heard = new Map(
    Object.values(EventName).map((name) => [name, Promise.withResolvers<RawEvent>()] as const),
  )
  for (const [name, { resolve }] of heard) sse.subscribe(name, resolve)
  return {
    async get(name) {
      const event = await heard.get(name)?.promise
      if (event === undefined) throw new Error(`the SDK does not know ${name}`)
      return event
    },
  }
}

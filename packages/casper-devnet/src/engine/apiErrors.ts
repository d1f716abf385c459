/** The node's `ApiError` codes, which host functions return to contracts, by the names that a node prints. */
export const apiErrors = {
  None: 1,
  MissingArgument: 2,
  InvalidArgument: 3,
  Deserialize: 4,
  Read: 5,
  ValueNotFound: 6,
  ContractNotFound: 7,
  GetKey: 8,
  UnexpectedKeyVariant: 9,
  UnexpectedContractRefVariant: 10,
  InvalidPurseName: 11,
  InvalidPurse: 12,
  UpgradeContractAtURef: 13,
  Transfer: 14,
  NoAccessRights: 15,
  CLTypeMismatch: 16,
  EarlyEndOfStream: 17,
  Formatting: 18,
  LeftOverBytes: 19,
  OutOfMemory: 20,
  MaxKeysLimit: 21,
  DuplicateKey: 22,
  PermissionDenied: 23,
  MissingKey: 24,
  ThresholdViolation: 25,
  KeyManagementThreshold: 26,
  DeploymentThreshold: 27,
  InsufficientTotalWeight: 28,
  InvalidSystemContract: 29,
  PurseNotCreated: 30,
  Unhandled: 31,
  BufferTooSmall: 32,
  HostBufferEmpty: 33,
  HostBufferFull: 34,
  AllocLayout: 35,
  // The variant of the node's source is `DictionaryItemKeyExceedsLength`.
  DictionaryItemKeyTooLarge: 36,
  InvalidDictionaryItemKey: 37,
  // Likewise `MissingSystemContractHash`.
  MissingContractHash: 38,
  ExceededRecursionDepth: 39,
  NonRepresentableSerialization: 40,
  MessageTopicAlreadyRegistered: 41,
  MaxTopicsNumberExceeded: 42,
  MaxTopicNameSizeExceeded: 43,
  MessageTopicNotRegistered: 44,
  MessageTopicFull: 45,
  MessageTooLarge: 46,
  MaxMessagesPerBlockExceeded: 47,
  NotAllowedToAddContractVersion: 48,
  InvalidDelegationAmountLimits: 49,
  InvalidCallerInfoRequest: 50,
} as const

const CONTRACT_HEADER = 64_768

/** `ApiError` codes for packages and their groups. */
export const headerErrors = {
  ContractNotFound: CONTRACT_HEADER + 2,
  GroupAlreadyExists: CONTRACT_HEADER + 3,
  MaxGroupsExceeded: CONTRACT_HEADER + 4,
  MaxTotalURefsExceeded: CONTRACT_HEADER + 5,
  GroupDoesNotExist: CONTRACT_HEADER + 6,
  UnableToRemoveURef: CONTRACT_HEADER + 7,
  GroupInUse: CONTRACT_HEADER + 8,
} as const

const FIRST_AUCTION = 64_512
const FIRST_MINT = 65_024
const FIRST_HANDLE_PAYMENT = 65_280
const FIRST_USER = 65_536

/** Returns the `ApiError` code for an error of the mint. */
export const mintStatus = (error: number): number => FIRST_MINT + error

/** Returns the `ApiError` code for an error of the contract that handles payments. */
export const handlePaymentStatus = (error: number): number => FIRST_HANDLE_PAYMENT + error

const LAST_USER = FIRST_USER + 65_535

/** Codes of the auction contract, counted from {@link FIRST_AUCTION}. */
const auctionErrors = {
  MissingKey: 0,
  InvalidKeyVariant: 1,
  MissingValue: 2,
  Serialization: 3,
  TransferToBidPurse: 4,
  InvalidAmount: 5,
  BidNotFound: 6,
  ValidatorNotFound: 7,
  DelegatorNotFound: 8,
  Storage: 9,
  Bonding: 10,
  Unbonding: 11,
  ReleaseFounderStake: 12,
  GetBalance: 13,
  InvalidContext: 14,
  ValidatorFundsLocked: 15,
  InvalidCaller: 16,
  InvalidPublicKey: 17,
  BondNotFound: 18,
  CreatePurseFailed: 19,
  UnbondTooLarge: 20,
  BondTooSmall: 21,
  MissingDelegations: 22,
  MismatchedEraValidators: 23,
  MintReward: 24,
  InvalidValidatorSlotsValue: 25,
  MintReduceTotalSupply: 26,
  TransferToDelegatorPurse: 27,
  ValidatorRewardTransfer: 28,
  DelegatorRewardTransfer: 29,
  WithdrawDelegatorReward: 30,
  WithdrawValidatorReward: 31,
  TransferToUnbondingPurse: 32,
  RecordEraInfo: 33,
  CLValue: 34,
  MissingSeigniorageRecipients: 35,
  Transfer: 36,
  DelegationRateTooLarge: 37,
  DelegatorFundsLocked: 38,
  ArithmeticOverflow: 39,
  GasLimit: 40,
  RuntimeStackOverflow: 41,
  MintError: 42,
  ExceededDelegatorSizeLimit: 43,
  GlobalDelegatorCapacityReached: 44,
  DelegationAmountTooSmall: 45,
  RuntimeStack: 46,
  AuctionBidsDisabled: 47,
  GetAccumulationPurse: 48,
  TransferToAdministrator: 49,
  ForgedReference: 50,
  MissingPurse: 51,
  ValidatorBidExistsAlready: 52,
  BridgeRecordChainTooLong: 53,
  UnexpectedBidVariant: 54,
  DelegationAmountTooLarge: 55,
  ReservationNotFound: 56,
  ExceededReservationSlotsLimit: 57,
  ExceededReservationsLimit: 58,
  ReservationSlotsCountTooSmall: 59,
  UnexpectedUnbondVariant: 60,
  UnexpectedStoredValueVariant: 61,
  RedelegationValidatorNotFound: 62,
  VestingLockout: 63,
} as const

/** The message for an unknown status. */
const UNHANDLED = `ApiError::Unhandled [${apiErrors.Unhandled}]`

/** Returns the node's message for a contract that reverts with a status: `User error: 4`. */
export function formatRevert(status: number): string {
  if (status > LAST_USER) return UNHANDLED
  if (status >= FIRST_USER) return `User error: ${status - FIRST_USER}`
  if (status >= FIRST_HANDLE_PAYMENT) return `Handle Payment error: ${status - FIRST_HANDLE_PAYMENT}`
  if (status >= FIRST_MINT) return `Mint error: ${status - FIRST_MINT}`
  if (status >= CONTRACT_HEADER) return `Contract header error: ${status - CONTRACT_HEADER}`
  if (status >= FIRST_AUCTION) {
    const name = nameOf(auctionErrors, status - FIRST_AUCTION)
    return name === undefined ? UNHANDLED : `ApiError::AuctionError(${name}) [${status}]`
  }
  const name = nameOf(apiErrors, status)
  return name === undefined ? UNHANDLED : `ApiError::${name} [${status}]`
}

function nameOf(codes: Readonly<Record<string, number>>, code: number): string | undefined {
  return Object.keys(codes).find((name) => codes[name] === code)
}

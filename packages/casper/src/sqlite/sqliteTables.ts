/**
 * The tables of {@link createSqliteStore}: what this machine's programs have signed and not yet seen settled. The chain is the
 * only source of values; rows disappear when it has decided.
 */
export const senderTables = `
-- Where transactions go, and who pays for them.
CREATE TABLE destination (
  id INTEGER PRIMARY KEY,
  chain_name TEXT NOT NULL,
  contract TEXT NOT NULL, -- package hash, 64 hex digits; for commands without one, what they act on
  account TEXT NOT NULL, -- account-hash-…, pays
  UNIQUE (chain_name, contract, account)
) STRICT;

-- Signed transactions that a block may still include. Written before the first byte is sent. A list has those of all accounts of
-- its chain and contract; a key excludes within one destination.
CREATE TABLE pending (
  transaction_hash TEXT PRIMARY KEY CHECK (length(transaction_hash) = 64), -- hex digits
  destination_id INTEGER NOT NULL REFERENCES destination,
  role TEXT NOT NULL CHECK (role IN ('send', 'approval')), -- an approval is sent by whoever collects enough of them
  kind TEXT NOT NULL, -- the program's kind of purpose, such as attest
  purpose TEXT NOT NULL CHECK (json_valid(purpose)), -- JSON: what the program needs to record the outcome
  payment_motes TEXT NOT NULL, -- maximum cost in motes, decimal
  expires_at INTEGER NOT NULL, -- epoch milliseconds of chain time: no later block may include it
  written_at INTEGER NOT NULL, -- epoch milliseconds of this machine's clock
  owner TEXT, -- token of the process that follows it: its lock is owners/<token>.db beside this file; null if none does
  body TEXT NOT NULL CHECK (json_valid(body)) -- JSON: the parameter of account_put_transaction
) STRICT;

-- A key, such as a feed, has at most one transaction that a block may still include.
CREATE TABLE pending_key (
  destination_id INTEGER NOT NULL REFERENCES destination,
  key TEXT NOT NULL, -- for attestations, the feed's id
  transaction_hash TEXT NOT NULL REFERENCES pending ON DELETE CASCADE,
  PRIMARY KEY (destination_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_key_of_transaction ON pending_key (transaction_hash);

-- Keys that a process works on: from its checks of the chain until its transaction is settled, or longer.
CREATE TABLE held_key (
  destination_id INTEGER NOT NULL REFERENCES destination,
  key TEXT NOT NULL,
  owner TEXT NOT NULL, -- token of the process; the row is void once that has ended
  PRIMARY KEY (destination_id, key)
) STRICT, WITHOUT ROWID;

-- Payments that a balance may not include yet.
CREATE TABLE reservation (
  claim TEXT PRIMARY KEY, -- id of the claim that reserved it
  chain_name TEXT NOT NULL,
  account TEXT NOT NULL, -- account-hash-…
  payment_motes TEXT NOT NULL, -- motes, decimal
  owner TEXT NOT NULL, -- token of the process; without a transaction, the row is void once that has ended
  transaction_hash TEXT, -- hex digits; null until it is signed
  settled_height INTEGER, -- height of the block that charged it; null until it is settled
  settled_before INTEGER -- epoch milliseconds of chain time: that block is not later
) STRICT;
`

/**
 * The hashes of the transactions that this process may have sent and not settled, by the path of the file that stores each.
 * A stopped program reports them.
 */
export const pendingTransactions = new Map<string, string>()

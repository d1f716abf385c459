/**
 * The transactions that this process may have sent and not settled: the path of the file that stores each, by its hash. A
 * stopped program reports them.
 */
export const pendingTransactions = new Map<string, string>()

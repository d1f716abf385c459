/** Changes the last digit of a hexadecimal text to another one. */
export const flipLast = (hex: string): string => hex.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))

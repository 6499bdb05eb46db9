/** What several tests make. */

import type { Reply } from "../explorer/contract.ts";

export function reply(rows: readonly unknown[], more: Partial<Reply> = {}): Reply {
  return { shape: "rows", path: "", total: rows.length, start: 0, rows, ...more };
}

# Expected: refused:
import asyncio
await asyncio.sleep(10_000)

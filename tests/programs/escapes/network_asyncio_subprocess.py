# Expected: refused:
import asyncio
await asyncio.create_subprocess_shell("touch CANARY_FOLDER/reached")

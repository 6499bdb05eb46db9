# Expected: refused: PermissionError
import asyncio
await asyncio.gather(echo(text="a"), call("wri" + "te", {"path": "CANARY_FOLDER/reached"}))

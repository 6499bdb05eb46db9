# Expected: refused: ModuleNotFoundError
import subprocess
subprocess.run(["touch", "CANARY_FOLDER/reached"])

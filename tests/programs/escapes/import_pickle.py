# Expected: refused: ModuleNotFoundError
import pickle
pickle.loads(b"cos\nsystem\n(S'touch CANARY_FOLDER/reached'\ntR.")

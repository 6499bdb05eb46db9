# Expected: answer
import csv
# A reader takes lines, not a name of a file.
[row for row in csv.reader(["CANARY_FILE"])]

# Expected: stopped:
"{:>10000000000}".format(1)

# Expected: refused:
"{0:{0.__class__}}".format(1)

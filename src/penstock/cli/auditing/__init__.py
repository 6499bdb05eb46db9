"""The cost of a server's list of tools, reported in three forms; and the list as files.

`costs` computes. `table` (for a terminal), `page` (HTML, with `plots`) and `report` (JSON) present.
`sources` reads saved lists, `extraction` and `filenames` write descriptions.
"""

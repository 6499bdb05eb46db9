"""What a server's list of tools costs an agent, told in three ways; and the list as files.

`costs` computes. `table` (for a terminal), `page` (HTML, with `plots`) and `report` (JSON) tell.
`sources` reads saved lists, `extraction` and `filenames` write descriptions.
"""

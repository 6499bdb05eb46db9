"""The checks of `penstock doctor`: each returns findings, and `report` presents them."""

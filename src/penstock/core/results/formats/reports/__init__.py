"""Reports of tests: JUnit, TAP, pytest."""

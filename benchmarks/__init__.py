"""Benchmarks of speed and memory, as ratios to a floor that the same run measures."""

"""The devices, where they stand, and what was done to them."""

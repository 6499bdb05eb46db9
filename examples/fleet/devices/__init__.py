"""The devices, their sites and their events."""

"""How much a reply may hold: measures, limits, what hosts take, and the largest reply that fits."""

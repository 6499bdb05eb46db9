"""The sandbox in which the programs of agents run."""

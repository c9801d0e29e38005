"""A page on which a person plays players and dealer at the simulated wires; part of the demo only."""

"""Everything that touches the wires of one table; PROTOCOL.md says what is on them."""

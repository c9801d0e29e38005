"""What a shift, a day, an auditor ask of the journal; read from its files alone, on any machine."""

"""What house rules cost and pay in the long run, in exact numbers; no part of the service."""

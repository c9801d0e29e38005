"""The card shoe: bytes to frames, frames to events, and the port they come through."""

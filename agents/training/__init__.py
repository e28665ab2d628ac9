"""Training of agents; needs the extra `sb3`."""

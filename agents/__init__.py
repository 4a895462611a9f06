"""Baseline agents, training, the arena and the command line."""

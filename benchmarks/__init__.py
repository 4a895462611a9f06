"""Speed, measured side by side with public peers: ``python -m benchmarks``."""

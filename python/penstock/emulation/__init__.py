"""Real packets through a simulated network, on Linux."""

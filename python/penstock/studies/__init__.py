"""Studies: many points of one scenario, each with enough runs, and what came out of them."""

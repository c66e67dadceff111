// Starts, retries, bounds and stops what lives. Never knows what it does.

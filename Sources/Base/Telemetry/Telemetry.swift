// Says what happens, as log lines and as metrics. Never knows what any of it means.

// Decides whether a story deserves a push, and hands it to a hub once. Never knows a device.

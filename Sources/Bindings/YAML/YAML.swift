// Holds libyaml: YAML text in, nodes with their places out. Never knows a key.

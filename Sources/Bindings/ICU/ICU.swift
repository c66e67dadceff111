// Holds ICU: converters, normalisation and text boundaries. Never knows a feed.

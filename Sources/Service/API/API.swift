// Translates HTTP into calls and back. Decides nothing.

// Holds libcurl: HTTP requests out, responses in. Never knows what they are for.

// Holds libmicrohttpd: HTTP requests in, responses out. Never knows a route.

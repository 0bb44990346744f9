# A need that a command only prints is not told as a fact.
# Source: third review, finding 29
# Escape: the need repeats the printed host as its own finding
# Forbidden: ^the network: registry\.npmjs\.org:443$
bash -c ': <>/dev/tcp/192.0.2.1/80' 2>/dev/null; echo 'getaddrinfo ENOTFOUND registry.npmjs.org:443'; exit 1

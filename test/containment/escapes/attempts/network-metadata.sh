# The addresses of clouds' metadata are out of reach.
# Source: third review, held
# Escape: a connection succeeds
# Forbidden: ^connected
for address in 169.254.169.254 100.100.100.200 168.63.129.16; do (exec 3<>"/dev/tcp/$address/80") 2>/dev/null && echo connected; done; true
